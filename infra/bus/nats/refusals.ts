import { headers, type JsMsg } from 'nats'
import { REFUSED_STREAM, refusedSubject } from './subjects.ts'
import type { UsageStream } from './usage-stream.ts'

/** A message that can never be charged, as it lies in TOLLGATE_REFUSED. */
export interface Refusal {
  readonly partition: number
  /** Where it was published. */
  readonly subject: string
  readonly reason: string
  /** As it came. */
  readonly data: Uint8Array
}

/** Headers of a refused message, beside the payload as it came. */
const REASON_HEADER = 'Tollgate-Reason'
const SUBJECT_HEADER = 'Tollgate-Subject'
/** Reasons quote what was wrong; nobody reads more than this. */
const REASON_CHARACTERS_MAX = 1_000
const STORED_WITHIN_MS = 2_000

/** Resolves when the message is stored with its reason; only then may it be acknowledged. */
export async function storeRefusal(
  { link }: UsageStream,
  refusal: Refusal,
  message: JsMsg,
): Promise<void> {
  const head = headers()
  head.set(REASON_HEADER, oneLine(refusal.reason))
  head.set(SUBJECT_HEADER, refusal.subject)
  const { stream, streamSequence, timestampNanos } = message.info
  await link.client.jetstream().publish(refusedSubject(refusal.partition), refusal.data, {
    headers: head,
    // Redelivered before the acknowledgement came through, it is the same refusal.
    msgID: `${stream}/${streamSequence}/${timestampNanos}`,
    timeout: STORED_WITHIN_MS,
    expect: { streamName: REFUSED_STREAM },
  })
}

const oneLine = (text: string): string =>
  text.replaceAll(/\s+/gu, ' ').slice(0, REASON_CHARACTERS_MAX)
