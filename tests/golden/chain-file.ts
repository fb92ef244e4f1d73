import { readFile, writeFile } from 'node:fs/promises'
import type { NewEvent } from '@tollgate/domain/event.ts'
import { CHAIN_VERSION, chainEvents, verifyStream } from '@tollgate/infra/event-store/chain.ts'
import type { StoredEvent } from '@tollgate/infra/event-store/stored-event.ts'
import { RECORDED_AT, uuidOf } from './golden-file.ts'

export const CHAIN_STREAM = 'account-7'
/** Events that one version of the chain has written. */
const PART_EVENTS = 3

const fileOf = (version: number): URL => new URL(`./chains/v${version}.json`, import.meta.url)

/** The text of what a version has written behind the version before: `chains/v<version>.json`. */
export const readChainText = (version: number): Promise<string> => readFile(fileOf(version), 'utf8')

/** One account's stream as the versions of the chain, one after another, have written it. */
export async function readChain(upTo: number = CHAIN_VERSION): Promise<readonly StoredEvent[]> {
  const versions = Array.from({ length: upTo }, (_, index) => index + 1)
  const texts = await Promise.all(versions.map(readChainText))
  return texts.flatMap((text) => JSON.parse(text) as readonly StoredEvent[])
}

/** The text that the present version writes, made anew: the same each time. */
export async function makeChainText(): Promise<string> {
  const { head } = await verifyStream(await readChain(CHAIN_VERSION - 1))
  const revisions = Array.from({ length: PART_EVENTS }, (_, index) => head.revision + 1 + index)
  const { events } = chainEvents(CHAIN_STREAM, revisions.map(eventAt), head)
  const part = events.map(({ id, type, revision, dataText, metadataText }): StoredEvent => ({
    stream: CHAIN_STREAM,
    revision,
    position: revision,
    id,
    type,
    recordedAt: RECORDED_AT,
    dataText,
    metadataText,
  }))
  return `${JSON.stringify(part, null, 2)}\n`
}

export const writeChainText = (text: string): Promise<void> =>
  writeFile(fileOf(CHAIN_VERSION), text)

/** An event of schema versions that every Tollgate reads. */
const eventAt = (revision: number): NewEvent => {
  const credit = { at: RECORDED_AT, amount: 500, source: 'grant', reason: '充值 "x"\n' }
  return {
    id: uuidOf(`chain/${revision}`),
    type: revision === 0 ? 'AccountOpened' : 'QuotaCredited',
    data: revision === 0 ? { at: RECORDED_AT } : credit,
    metadata: {
      actor: 'user:1',
      correlationId: `request "${revision}"`,
      causationId: null,
      schemaVersion: 1,
    },
  }
}
