import streams from '@eventstore/db-client/generated/streams_pb.js'
import { eventResponse } from '@tollgate/tests/support/engines/eventstoredb-double/messages.ts'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { readAnswer } from './read-answer.ts'
import { NO_POSITION, storedEvent } from './recorded.ts'

const bytesOf = (response: streams.ReadResp): Buffer => Buffer.from(response.serializeBinary())

const recorded = fc.record({
  stream: fc.string({ unit: 'grapheme', minLength: 1, maxLength: 200 }),
  revision: fc.bigInt({ min: 0n, max: 2n ** 31n }),
  position: fc.bigInt({ min: 0n, max: BigInt(Number.MAX_SAFE_INTEGER) }),
  id: fc.uuid(),
  type: fc.string({ unit: 'grapheme', minLength: 1 }),
  contentType: fc.constant('application/json'),
  data: fc.uint8Array({ maxLength: 3_000 }),
  metadata: fc.uint8Array({ maxLength: 300 }),
  created: fc.integer({ min: 0, max: 4_000_000_000_000 }),
})

test('given any event as the client package writes it, when read, then nothing of it is changed', () => {
  fc.assert(
    fc.property(recorded, (record) => {
      const answer = readAnswer(bytesOf(eventResponse(record)))
      if (answer.type !== 'event') return expect.unreachable('it is an event')
      const { stream, type, id, data, metadata } = record
      expect(storedEvent(answer.event)).toEqual({
        stream,
        type,
        id,
        revision: Number(record.revision),
        position: Number(record.position),
        recordedAt: record.created,
        dataText: Buffer.from(data).toString('utf8'),
        metadataText: Buffer.from(metadata).toString('utf8'),
      })
      expect([...answer.event.data]).toEqual([...data])
      expect(answer.event.prepare).toBe(Number(record.position))
      return undefined
    }),
  )
})

test('given what a subscription says beside events, when read, then it is told apart', () => {
  const at = (commit: string): Buffer =>
    bytesOf(
      new streams.ReadResp().setCheckpoint(
        new streams.ReadResp.Checkpoint().setCommitPosition(commit).setPreparePosition(commit),
      ),
    )
  expect(readAnswer(at('270000001'))).toEqual({ type: 'checkpoint', commit: 270_000_001 })
  expect(readAnswer(at('18446744073709551615'))).toEqual({
    type: 'checkpoint',
    commit: NO_POSITION,
  })
  const { CaughtUp, FellBehind, StreamNotFound, ReadEvent } = streams.ReadResp
  const answers = [
    new streams.ReadResp().setCaughtUp(new CaughtUp()),
    new streams.ReadResp().setFellBehind(new FellBehind()),
    new streams.ReadResp().setStreamNotFound(new StreamNotFound()),
    new streams.ReadResp().setEvent(new ReadEvent().setLink(new ReadEvent.RecordedEvent())),
  ].map((response) => readAnswer(bytesOf(response)).type)
  expect(answers).toEqual(['caughtUp', 'fellBehind', 'other', 'other'])
})

test('given an event that is cut off or at an impossible position, when read, then it fails', () => {
  const record = fc.sample(recorded, { numRuns: 1, seed: 1 })[0]
  if (record === undefined) return expect.unreachable('one was made')
  const whole = bytesOf(eventResponse(record))
  for (let length = 1; length < whole.length; length += 1) {
    expect(() => readAnswer(whole.subarray(0, length))).toThrow(RangeError)
  }
  const far = bytesOf(eventResponse({ ...record, position: 2n ** 60n }))
  expect(() => readAnswer(far)).toThrow(RangeError)
  return undefined
})
