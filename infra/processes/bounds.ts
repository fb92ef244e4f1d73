/** How long a read waits for its caller's own writes to arrive in the read models. */
export const OWN_WRITES_MS = 2_000
/** How long requests under way get to finish by themselves before they are ended. */
export const STOP_GRACE_MS = 5_000
/** How long requests that were ended may take until they are charged. */
export const STOP_REQUESTS_MS = 5_000
/** How long holds may take to come back when stopping; what is left is closed by their owner. */
export const STOP_HOLDS_MS = 5_000
/** How long stopping may take in all: the bounds of its steps and some for closing the engines. */
export const STOP_MS = 28_000
/** Making a connection to upstream, TLS included (decision 13). */
export const UPSTREAM_CONNECT_MS = 10_000
