import { MessageFields } from './message-fields.ts'
import type { ArrivedEvent } from './recorded.ts'

/** A message of a Read call (`ReadResp` in the protocol's streams.proto), as far as it is of use. */
export type ReadAnswer =
  | { readonly type: 'event'; readonly event: ArrivedEvent }
  /** May be no position at all, see NO_POSITION. */
  | { readonly type: 'checkpoint'; readonly commit: number }
  | { readonly type: 'caughtUp' | 'fellBehind' }
  /** Says nothing of the log: that a subscription begins, that there is no such stream, a link whose target is gone. */
  | { readonly type: 'other' }

const OTHER: ReadAnswer = { type: 'other' }

/** Reads a `ReadResp`. Fails with RangeError for bytes that are none. */
export function readAnswer(bytes: Buffer): ReadAnswer {
  const fields = new MessageFields(bytes)
  let answer = OTHER
  while (fields.next()) {
    if (fields.field === 1) answer = eventAnswer(fields.message())
    else if (fields.field === 3) answer = checkpointAnswer(fields.message())
    else {
      if (fields.field === 8) answer = { type: 'caughtUp' }
      else if (fields.field === 9) answer = { type: 'fellBehind' }
      fields.skip()
    }
  }
  return answer
}

/** Reads a `ReadEvent`. */
function eventAnswer(fields: MessageFields): ReadAnswer {
  let answer = OTHER
  while (fields.next()) {
    if (fields.field === 1) answer = { type: 'event', event: recordedEvent(fields.message()) }
    else fields.skip()
  }
  return answer
}

function checkpointAnswer(fields: MessageFields): ReadAnswer {
  let commit = 0
  while (fields.next()) {
    if (fields.field === 1) commit = fields.number()
    else fields.skip()
  }
  return { type: 'checkpoint', commit }
}

const NO_BYTES: Buffer = Buffer.alloc(0)

/** Reads a `RecordedEvent`. */
function recordedEvent(fields: MessageFields): ArrivedEvent {
  const event = {
    id: '',
    stream: '',
    type: '',
    revision: 0,
    position: 0,
    prepare: 0,
    created: '',
    data: NO_BYTES,
    metadata: NO_BYTES,
  }
  while (fields.next()) {
    if (fields.field === 1) event.id = textAt(fields.message(), 2)
    else if (fields.field === 2) event.stream = textAt(fields.message(), 3)
    else if (fields.field === 3) event.revision = fields.number()
    else if (fields.field === 4) event.prepare = fields.number()
    else if (fields.field === 5) event.position = positionOf(fields.number())
    else if (fields.field === 6) takeProperty(event, fields.message())
    else if (fields.field === 7) event.metadata = fields.bytes()
    else if (fields.field === 8) event.data = fields.bytes()
    else fields.skip()
  }
  return event
}

/** One field of a message that has nothing else of use; '' when it is not there. */
function textAt(fields: MessageFields, field: number): string {
  let text = ''
  while (fields.next()) {
    if (fields.field === field) text = fields.text()
    else fields.skip()
  }
  return text
}

/** Takes one of the server's statements about an event, which come as pairs of texts. */
function takeProperty(event: { type: string; created: string }, fields: MessageFields): void {
  let key = ''
  while (fields.next()) {
    if (fields.field === 1) key = fields.text()
    else if (fields.field === 2 && key === 'type') event.type = fields.text()
    else if (fields.field === 2 && key === 'created') event.created = fields.text()
    else fields.skip()
  }
}

/** A commit position is an offset in bytes, so a number holds 9 petabytes of log. Fails with RangeError beyond. */
export function positionOf(commit: number): number {
  if (!Number.isSafeInteger(commit)) throw new RangeError(`position ${commit} is too large`)
  return commit
}
