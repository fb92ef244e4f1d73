/** Live tokens of one account; keeps its state, and so BalanceCarriedForward, within one event. */
export const TOKENS_MAX = 10_000
/** Open holds of one account: far more than relays need, few enough to carry forward. */
export const HOLDS_MAX = 500
/** Ended holds that an account in memory remembers: charges come late for those that ended last, if at all. */
export const ENDED_HOLDS_MAX = 8
/** UTF-8 bytes that the tokens of an account may take in a snapshot; with holds beside them one event stays under 1 MiB. */
export const TOKEN_BYTES_MAX = 800_000
/** One amount, token limit or balance at most: two billion dollars at the usual rate, and far from 2^53 when added up. */
export const QUOTA_MAX = 1_000_000_000_000_000
/** A grant beyond its need takes at most the available quota divided by this, so that other relays find some too. */
export const SHARE_OF_AVAILABLE = 2
/** Events after which a balance may be carried forward at the earliest. */
export const CARRY_FORWARD_EVENTS_MIN = 30
/** How many times the state's size may be written before it is carried forward. */
export const CARRY_FORWARD_SIZE_RATIO = 10
