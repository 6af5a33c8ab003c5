"""The closer look: which operation gave the first non-finite value, at which line, in which module.

    stack.py     puts the look into torch's stack of function modes, and takes it out again
    operations.py  the mode: sees each operation of one loop step and whether its result is finite
    twin.py      runs the operations of this step a second time, with the tensors of the step that failed
    backward.py  finds the node of a graph whose backward gives the first non-finite gradient
    graph.py     what the graph alone tells, where no further step comes
    places.py    the line and the module of a call
    found.py     what was found, and the facts that it makes

A step that failed has passed when it is noticed, and after it the weights are often NaN, so that the next step
shows nothing but NaN from its first operation on. So the next step of the loop is run twice, operation by
operation: once as it is, and beside it with copies of the weights, the batch and the random state of the step that
failed. The script's own code decides what is run, so that its loss function and every line of it is seen, and
nothing of it is called a second time.
"""
