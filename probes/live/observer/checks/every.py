"""Every check that looks into tensors in sampled steps, in the order in which they are told."""

from __future__ import annotations

from .activations import Activations
from .alone import Alone
from .attention import Attention
from .axes import Axes
from .balance import Balance
from .binary_losses import BinaryLosses
from .boxes import Boxes
from .check import Check
from .class_losses import ClassLosses
from .class_weights import ClassWeights
from .cosines import Cosines
from .cut_labels import CutLabels
from .cut_states import CutStates
from .cut_terms import CutTerms
from .cuts import Cuts
from .dropped_scores import DroppedScores
from .drowned import Drowned
from .flagged import Flagged
from .frozen_zero import FrozenZero
from .given_answer import GivenAnswer
from .inputs import Inputs
from .itself import Itself
from .labels import Labels
from .last_noise import LastNoise
from .last_state import LastState
from .layers import Layers
from .lengths import Lengths
from .lone_shares import LoneShares
from .lookahead import Lookahead
from .masked_away import MaskedAway
from .moved_axes import MovedAxes
from .moving import Moving
from .normalisation import Normalisation
from .outputs import Outputs
from .padding import Padding
from .pair_labels import PairLabels
from .plain_terms import PlainTerms
from .pooled import Pooled
from .positions import Positions
from .ranks import Ranks
from .recorded import Recorded
from .recurrent_axes import RecurrentAxes
from .regression import Regression
from .rivals import Rivals
from .rounded import Rounded
from .same_batch import SameBatch
from .share_axes import ShareAxes
from .silenced import Silenced
from .steps_in_graph import StepsInGraph
from .syncs import Syncs
from .tables import Tables
from .teachers import Teachers
from .terms import Terms
from .through_time import ThroughTime
from .together import Together
from .unread import Unread
from .unturned import Unturned
from .views import Views

CHECKS: tuple[type[Check], ...] = (
    ClassLosses,
    ClassWeights,
    BinaryLosses,
    DroppedScores,
    Regression,
    ShareAxes,
    Pooled,
    LoneShares,
    PairLabels,
    Tables,
    Labels,
    CutLabels,
    Boxes,
    SameBatch,
    Ranks,
    Syncs,
    Recorded,
    Inputs,
    Outputs,
    Normalisation,
    Alone,
    Attention,
    Lookahead,
    RecurrentAxes,
    Axes,
    MovedAxes,
    Cuts,
    FrozenZero,
    Flagged,
    CutStates,
    CutTerms,
    PlainTerms,
    StepsInGraph,
    Balance,
    Drowned,
    Terms,
    Activations,
    Silenced,
    ThroughTime,
    Layers,
    Moving,
    Padding,
    Positions,
    Cosines,
    Lengths,
    Together,
    Rivals,
    Rounded,
    Itself,
    MaskedAway,
    LastState,
    GivenAnswer,
    Unread,
    Unturned,
    Views,
    LastNoise,
    Teachers,
)
