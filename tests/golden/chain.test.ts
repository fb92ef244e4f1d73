import { createHash } from 'node:crypto'
import { LOG_START, type NewEvent } from '@tollgate/domain/event.ts'
import { EMPTY_STREAM } from '@tollgate/domain/ports/event-store.ts'
import { verifyLog } from '@tollgate/infra/audit/verify-log.ts'
import { CHAIN_VERSION, verifyStream } from '@tollgate/infra/event-store/chain.ts'
import type { StoredEvent } from '@tollgate/infra/event-store/stored-event.ts'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { collect } from '../contract/events.ts'
import {
  type AuditedLog,
  eventStoreDbAuditedLog,
  postgresAuditedLog,
} from '../support/histories/audited-log.ts'
import { CHAIN_STREAM, makeChainText, readChain, readChainText } from './chain-file.ts'

const sha256 = (...parts: readonly (Buffer | string)[]): Buffer => {
  const hash = createHash('sha256')
  for (const part of parts) hash.update(part)
  return hash.digest()
}

interface Link {
  readonly chainVersion?: number
  readonly prevHash: string
  readonly hash: string
}
const linkOf = ({ metadataText }: StoredEvent): Link => JSON.parse(metadataText) as Link

/** As the design says it, by other means than the product's. */
function hashBySpecification({ dataText, metadataText }: StoredEvent): string {
  const { hash: _, ...rest } = JSON.parse(metadataText) as Link
  const metadata = JSON.stringify(rest)
  const { chainVersion, prevHash } = rest
  return chainVersion === undefined
    ? sha256(prevHash, dataText, metadata).toString('hex')
    : sha256(
        prevHash === '' ? Buffer.alloc(32) : Buffer.from(prevHash, 'hex'),
        sha256(dataText),
        sha256(metadata),
      ).toString('hex')
}

describe('the golden files of the chain', () => {
  test('given every version in one stream, when verified, then the links hold over the boundaries', async () => {
    const events = await readChain()
    const versions = events.map((event) => linkOf(event).chainVersion ?? 1)
    expect(versions).toEqual([1, 1, 1, 2, 2, 2])
    expect(await verifyStream(events)).toMatchObject({ events: 6, firstBreak: null })
  })

  test('given every version, when hashed by the design, then the hashes are those in the files', async () => {
    for (const event of await readChain()) {
      expect(hashBySpecification(event)).toBe(linkOf(event).hash)
    }
  })

  test('given the present version, when its file is made anew, then not one byte is different', async () => {
    expect(await makeChainText()).toBe(await readChainText(CHAIN_VERSION))
  })

  test.each([
    ['a version that is not known', '"chainVersion":3'],
    ['version 1', '"chainVersion":1'],
  ])('given an event relabelled with %s, when verified, then it is a break', async (_, label) => {
    const events = (await readChain()).map((event) => ({
      ...event,
      metadataText: event.metadataText.replace('"chainVersion":2', label),
    }))
    expect((await verifyStream(events)).firstBreak).toMatchObject({ revision: 3 })
  })
})

describe.each([
  { engine: 'PostgreSQL', open: postgresAuditedLog },
  { engine: 'EventStoreDB (protocol double)', open: eventStoreDbAuditedLog },
])('a log in $engine that version 1 of the chain has written', ({ open }) => {
  const filter = { streamPrefixes: [CHAIN_STREAM] }
  const all = [undefined, 500, 500, 1, 2, 3]
  const later = (amount: number): NewEvent => ({
    id: crypto.randomUUID(),
    type: 'QuotaCredited',
    data: { at: 1, amount, source: 'grant', reason: '' } as NewEvent['data'],
    metadata: { actor: 'system', correlationId: 'c', causationId: null, schemaVersion: 1 },
  })
  const amounts = (events: readonly unknown[]) =>
    events.map((event) => (event as { data: { amount?: number } }).data.amount)
  let log: AuditedLog

  beforeEach(async () => {
    log = await open()
    const first = await log.store.appendStored(CHAIN_STREAM, await readChain(1), EMPTY_STREAM)
    const next = await log.store.append(CHAIN_STREAM, [later(1), later(2)], first.head)
    await log.store.append(CHAIN_STREAM, [later(3)], next.head)
  })
  afterEach(() => log.close())

  const stored = () => collect(log.store.readStoredStream(CHAIN_STREAM))

  test('given events of version 2 behind, when sealed and verified, then the log is whole', async () => {
    const versions = (await stored()).map((event) => linkOf(event).chainVersion ?? 1)
    expect(versions).toEqual([1, 1, 1, 2, 2, 2])
    await log.seal()
    expect(await verifyLog(log.store)).toMatchObject({ firstBreak: null, events: 7, seals: 1 })
  })

  test('given events of version 2 behind, when read in every way, then none is taken for foreign', async () => {
    const { store } = log
    expect(amounts(await collect(store.readStream(CHAIN_STREAM)))).toEqual(all)
    const backwards = await collect(store.readStream(CHAIN_STREAM, { direction: 'backwards' }))
    expect(amounts(backwards)).toEqual(all.toReversed())
    expect(amounts(await store.readAll(LOG_START, filter, 10))).toEqual(all)
    const bare = { ...filter, types: ['AccountOpened', 'QuotaCredited'] }
    expect(amounts((await store.readBare?.(LOG_START, bare, 10)) ?? [])).toEqual(
      store.readBare === undefined ? [] : all,
    )
  })

  test('given an event of version 1 behind, as a rolling update may leave it, then the log is whole', async () => {
    const last = (await stored()).at(-1)
    if (last === undefined) throw new Error('nothing is stored')
    const { hash: prevHash, chainVersion: _, ...rest } = linkOf(last)
    const old = JSON.stringify({ ...rest, id: crypto.randomUUID(), prevHash })
    const hash = sha256(prevHash, last.dataText, old).toString('hex')
    const { id } = JSON.parse(old) as { id: string }
    const event = {
      ...last,
      id,
      revision: last.revision + 1,
      metadataText: `${old.slice(0, -1)},"hash":"${hash}"}`,
    }
    await log.store.appendStored(CHAIN_STREAM, [event], {
      revision: last.revision,
      hash: prevHash,
    })
    expect(await verifyLog(log.store)).toMatchObject({ firstBreak: null, events: 7 })
    expect(amounts(await collect(log.store.readStream(CHAIN_STREAM)))).toEqual([...all, 3])
  })

  test('given both versions, when copied into another log, then every byte is the same', async () => {
    const other = await open()
    await other.store.appendStored(CHAIN_STREAM, await stored(), EMPTY_STREAM)
    const texts = (events: readonly StoredEvent[]) =>
      events.map(({ dataText, metadataText }) => [dataText, metadataText])
    const copied = await collect(other.store.readStoredStream(CHAIN_STREAM))
    expect(texts(copied)).toEqual(texts(await stored()))
    await other.close()
  })
})
