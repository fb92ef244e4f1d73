/** Live tokens of one account; keeps its state, and so BalanceCarriedForward, within one event. */
export const TOKENS_MAX = 10_000
/** Open holds of one account: far more than relays need, few enough to carry forward. */
export const HOLDS_MAX = 500
/** Bytes of a snapshot; the store's limit for one append is 1 MiB, and other events may share it. */
export const SNAPSHOT_BYTES_MAX = 800_000
/** Of what is available, the part that one grant may take beyond its need, so that other relays find some too. */
export const SHARE_OF_AVAILABLE = 2
/** Events after which a balance may be carried forward at the earliest. */
export const CARRY_FORWARD_EVENTS_MIN = 30
/** How many times the state's size may be written before it is carried forward. */
export const CARRY_FORWARD_SIZE_RATIO = 10
