import { createRequire } from 'node:module'
import shared from '@eventstore/db-client/generated/shared_pb.js'
import status from '@eventstore/db-client/generated/status_pb.js'
import streams from '@eventstore/db-client/generated/streams_pb.js'
import type AnyMessage from 'google-protobuf/google/protobuf/any_pb.js'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type AppendAnswer, appendAnswer } from './append-answer.ts'
import { Empty } from './protocol.ts'

const requireAsClient = createRequire(
  createRequire(import.meta.url).resolve('@eventstore/db-client'),
)
const { Any } = requireAsClient('google-protobuf/google/protobuf/any_pb.js') as typeof AnyMessage

const UUID = '0190f3a0-ffff-7fff-bfff-00000000000a'
const asText = (uuid: string): shared.UUID => new shared.UUID().setString(uuid)

/** As the server writes it: two numbers with a sign. */
function asHalves(uuid: string): shared.UUID {
  const hex = uuid.replaceAll('-', '')
  const half = (from: number): string =>
    String(BigInt.asIntN(64, BigInt(`0x${hex.slice(from, from + 16)}`)))
  const structured = new shared.UUID.Structured()
    .setMostSignificantBits(half(0))
    .setLeastSignificantBits(half(16))
  return new shared.UUID().setStructured(structured)
}

const bytesOf = (response: streams.BatchAppendResp): Buffer =>
  Buffer.from(response.serializeBinary())

const responseTo = (id: shared.UUID = asText(UUID)): streams.BatchAppendResp =>
  new streams.BatchAppendResp()
    .setCorrelationId(id)
    .setStreamIdentifier(new shared.StreamIdentifier().setStreamName('YWNjb3VudC0x'))
    .setStreamPosition('4')

test.each([
  ['a text', asText],
  ['two numbers', asHalves],
])('given any id of an append as %s, when its answer is read, then it is that id', (_, written) => {
  fc.assert(
    fc.property(fc.uuid(), (uuid) => {
      const response = responseTo(written(uuid)).setSuccess(new streams.BatchAppendResp.Success())
      expect(appendAnswer(bytesOf(response)).correlationId).toBe(uuid)
    }),
  )
})

const { Success } = streams.BatchAppendResp
const at = (commit: string): streams.BatchAppendResp.Success =>
  new Success()
    .setCurrentRevision('7')
    .setPosition(
      new shared.AllStreamPosition().setCommitPosition(commit).setPreparePosition(commit),
    )

test.each<[commit: string, success: streams.BatchAppendResp.Success, position: number | null]>([
  ['0', at('0'), 0],
  ['270000001', at('270000001'), 270_000_001],
  ['2^53 − 1', at(String(Number.MAX_SAFE_INTEGER)), Number.MAX_SAFE_INTEGER],
  ['2^64 − 1', at('18446744073709551615'), null],
  ['none', new Success().setCurrentRevision('7').setNoPosition(new Empty()), null],
  ['not told', new Success().setNoStream(new Empty()), null],
])(
  'given a success at position %s, when read, then the answer has that position, or none',
  (_, success, position) => {
    const response = responseTo().setSuccess(success)
    expect(appendAnswer(bytesOf(response)).answer).toEqual({ type: 'success', position })
  },
)

/** As the server says why it refuses, whatever it expected. */
function refused(kind: string, details: Uint8Array, message = 'why'): Buffer {
  const any = new Any()
  any.pack(details, `event_store.client.${kind}`)
  return bytesOf(
    responseTo().setError(new status.Status().setCode(9).setMessage(message).setDetails(any)),
  )
}

test.each([
  ['a revision', new shared.WrongExpectedVersion().setCurrentStreamRevision('12'), 12],
  ['its first revision', new shared.WrongExpectedVersion().setCurrentStreamRevision('0'), 0],
  ['no events', new shared.WrongExpectedVersion().setCurrentNoStream(new Empty()), -1],
])(
  'given a conflict with a stream that has %s, when read, then it says so',
  (_, details, actual) => {
    details.setExpectedStreamPosition('99')
    const bytes = refused('WrongExpectedVersion', details.serializeBinary())
    expect(appendAnswer(bytes).answer).toEqual({ type: 'wrong-expected-version', actual })
  },
)

test.each([
  ['Timeout', null, false],
  ['AccessDenied', false, false],
  ['BadRequest', false, true],
  ['MaximumAppendSizeExceeded', false, true],
  ['StreamDeleted', false, true],
  ['Unknown', null, false],
] as const)(
  'given the refusal %s, when read, then it says whether the append may be stored and if it is final',
  (kind, isStored, isFinal) => {
    const refusal: AppendAnswer = {
      type: 'refused',
      reason: `${kind} why ☃`,
      isStored,
      isFinal,
      isDenied: kind === 'AccessDenied',
    }
    const bytes = refused(kind, new shared.Timeout().serializeBinary(), 'why ☃')
    expect(appendAnswer(bytes)).toEqual({ correlationId: UUID, answer: refusal })
  },
)

test('given a refusal without details, when read, then nothing is known of the append', () => {
  const bytes = bytesOf(responseTo().setError(new status.Status().setCode(2)))
  expect(appendAnswer(bytes).answer).toMatchObject({ type: 'refused', reason: '', isStored: null })
})

test('given an answer that is cut off within a field, when read, then it fails', () => {
  const bytes = bytesOf(responseTo(asHalves(UUID)).setSuccess(at('270000001')))
  for (const length of [1, 2, 10, 20, bytes.length - 1]) {
    expect(() => appendAnswer(bytes.subarray(0, length))).toThrow(RangeError)
  }
})
