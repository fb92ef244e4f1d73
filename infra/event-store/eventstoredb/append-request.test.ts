import shared from '@eventstore/db-client/generated/shared_pb.js'
import streams from '@eventstore/db-client/generated/streams_pb.js'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type ChainedAppend, type ChainedEvent, NO_COLUMNS } from '../chain.ts'
import { ANY_REVISION, appendRequest } from './append-request.ts'
import { Empty } from './protocol.ts'

/** The same append, written by the client package's own classes. */
function writtenByClasses(correlationId: string, { stream, expected, events }: ChainedAppend) {
  const { revision } = expected
  const options = new streams.BatchAppendReq.Options().setStreamIdentifier(
    new shared.StreamIdentifier().setStreamName(Buffer.from(stream).toString('base64')),
  )
  if (revision === ANY_REVISION) options.setAny(new Empty())
  else if (revision === -1) options.setNoStream(new Empty())
  else options.setStreamPosition(String(revision))
  const request = new streams.BatchAppendReq()
    .setCorrelationId(new shared.UUID().setString(correlationId))
    .setOptions(options)
    .setProposedMessagesList(events.map(proposedMessage))
    .setIsFinal(true)
  return Buffer.from(request.serializeBinary())
}

function proposedMessage({ id, type, dataText, metadataText }: ChainedEvent) {
  const message = new streams.BatchAppendReq.ProposedMessage()
    .setId(new shared.UUID().setString(id))
    .setData(Buffer.from(dataText))
    .setCustomMetadata(Buffer.from(metadataText))
  message.getMetadataMap().set('type', type)
  message.getMetadataMap().set('content-type', 'application/json')
  return message
}

/** Texts of every kind of character: of one byte to four, and halves of pairs, which stand for no character. */
const text = fc.oneof(
  fc.string(),
  fc.string({ unit: 'grapheme', maxLength: 300 }),
  fc.string({ unit: 'binary', maxLength: 100 }),
  fc.array(fc.integer({ min: 0, max: 0xff_ff })).map((units) => String.fromCharCode(...units)),
)
/** As long as lengths of one, two and three bytes, and above 64 KiB. */
const longText = fc
  .tuple(text, fc.constantFrom(0, 120, 127, 128, 16_300, 16_383, 16_384, 65_535, 65_536, 200_000))
  .map(([end, length]) => 'é'.repeat(length / 2) + end)
const event: fc.Arbitrary<ChainedEvent> = fc.record({
  id: fc.uuid(),
  type: fc.string({ minLength: 1, maxLength: 200 }),
  revision: fc.constant(0),
  dataText: fc.oneof(fc.constant(''), text, longText),
  metadataText: fc.oneof(fc.constant(''), fc.constant('{}'), text, longText),
  hash: fc.constant(''),
  columns: fc.constant(NO_COLUMNS),
})
const revision = fc.oneof(
  fc.constantFrom(ANY_REVISION, -1, 0, 127, 128, 2 ** 31, 2 ** 32, Number.MAX_SAFE_INTEGER),
  fc.maxSafeNat(),
)
const append: fc.Arbitrary<ChainedAppend> = fc
  .record({
    stream: fc.oneof(fc.string({ minLength: 1, maxLength: 200 }), text),
    revision,
    events: fc.array(event, { minLength: 1, maxLength: 20 }),
  })
  .filter(({ stream }) => stream !== '')
  .map(({ stream, revision: at, events }) => {
    const head = { revision: at, hash: '' }
    return { stream, expected: head, events, head, bytes: 0 }
  })

test("given any append, when written, then its bytes are those of the client package's own classes", () => {
  fc.assert(
    fc.property(fc.uuid(), append, (correlationId, one) => {
      const bytes = appendRequest(correlationId, one)
      expect(bytes.equals(writtenByClasses(correlationId, one))).toBe(true)
    }),
    { numRuns: 300 },
  )
})

test('given an append, when written, then it has no deadline for the server’s own clock to compare', () => {
  fc.assert(
    fc.property(fc.uuid(), append, (correlationId, one) => {
      const read = streams.BatchAppendReq.deserializeBinary(appendRequest(correlationId, one))
      expect(read.getOptions()?.hasDeadline()).toBe(false)
      expect(read.getIsFinal()).toBe(true)
    }),
    { numRuns: 20 },
  )
})
