/**
 * The names of all streams that Tollgate writes. The log must be Tollgate's alone: read models leave other streams out,
 * so that a forged one would otherwise be sealed and never seen.
 */
const STREAM_NAMES: readonly RegExp[] = [
  /^(account|user|channel|redemption|task)-\d{1,16}$/,
  /^topup-[\w-]{1,100}$/,
  /^settings$/,
  /^relay-failures-[\w-]{1,100}-\d{1,9}$/,
  // Seals and other events about the log itself.
  /^ledger-[a-z]+(-[a-z]+)*$/,
]

/** False for a stream that no version of Tollgate up to this one writes. */
export const isStreamOfTollgate = (name: string): boolean =>
  STREAM_NAMES.some((pattern) => pattern.test(name))
