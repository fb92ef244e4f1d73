import { readdir, readFile, writeFile } from 'node:fs/promises'
import { createHash } from 'node:crypto'
import { newEvents, type CommandCause } from '@tollgate/command-api/aggregates/cause.ts'
import type { RecordedEvent } from '@tollgate/domain/event.ts'
import { EMPTY_STREAM } from '@tollgate/domain/ports/event-store.ts'
import { schemaVersionOf } from '@tollgate/domain/schema-versions.ts'
import { chainEvents } from '@tollgate/infra/event-store/chain.ts'
import { decodeEvent, type StoredEvent } from '@tollgate/infra/event-store/stored-event.ts'
import { UPCASTERS } from '@tollgate/infra/event-store/upcasters.ts'
import { goldenCases } from './cases.ts'
import { type GoldenType, SCHEMAS } from './schemas.ts'
import { type Shape, shapeOf } from './shape.ts'

/** One version of one event type as it stands in people's logs; `events/<type>.v<version>.json`. */
export interface Golden {
  readonly type: string
  readonly schemaVersion: number
  /** Shape of its data, when this version was the newest. */
  readonly shape: Shape
  readonly cases: readonly GoldenCase[]
}

export interface GoldenCase {
  /** Written once, never changed: logs keep it, too. */
  readonly stored: StoredEvent
  /** The event that Tollgate makes of it today. */
  readonly decoded: RecordedEvent
}

const FOLDER = new URL('./events/', import.meta.url)
export const RECORDED_AT = Date.UTC(2026, 2, 4, 5, 6, 7, 890)

/** All types that golden files are kept for. */
export const GOLDEN_TYPES = Object.keys(SCHEMAS) as readonly GoldenType[]

/** All golden files, by type and version. */
export async function readGoldens(): Promise<readonly Golden[]> {
  const names = (await readdir(FOLDER)).filter((name) => name.endsWith('.json')).sort()
  return Promise.all(
    names.map(async (name) => {
      const golden = JSON.parse(await readFile(new URL(name, FOLDER), 'utf8')) as Golden
      if (fileName(golden) !== name) throw new Error(`${name} holds ${fileName(golden)}`)
      return golden
    }),
  )
}

/** The text of a golden's file. Only this lays it out, the formatter leaves it alone: see `ignorePatterns`. */
export const goldenText = (golden: Golden): string => `${JSON.stringify(golden, null, 2)}\n`

/** The text that a golden's file has. */
export const readGoldenText = (golden: Golden): Promise<string> =>
  readFile(new URL(fileName(golden), FOLDER), 'utf8')

export const writeGolden = (golden: Golden): Promise<void> =>
  writeFile(new URL(fileName(golden), FOLDER), goldenText(golden))

export const fileName = ({ type, schemaVersion }: Pick<Golden, 'type' | 'schemaVersion'>): string =>
  `${type}.v${schemaVersion}.json`

/** The golden file of a type's newest version, made anew: the same each time. */
export function makeGolden(type: GoldenType): Golden {
  const cases = goldenCases().flatMap(({ stream, events }) => {
    const wanted = events.filter((event) => event.type === type)
    if (wanted.length === 0) return []
    const made = wanted.flatMap((event, index) =>
      newEvents([event], causeOf(index), {
        uuid: () => uuidOf(`${stream}/${type}/${index}`),
        fraction: () => 0,
      }),
    )
    return chainEvents(stream, made, EMPTY_STREAM).events.map((event) => {
      const { id, revision, dataText, metadataText } = event
      return {
        stream,
        revision,
        position: revision,
        id,
        type,
        recordedAt: RECORDED_AT,
        dataText,
        metadataText,
      }
    })
  })
  return {
    type,
    schemaVersion: schemaVersionOf(type),
    shape: shapeOf(SCHEMAS[type]),
    cases: cases.map((stored) => ({ stored, decoded: decodeEvent(stored, UPCASTERS) })),
  }
}

/** The same file with what Tollgate makes of its events now. */
export const withDecodedAnew = (golden: Golden): Golden => ({
  ...golden,
  cases: golden.cases.map(({ stored }) => ({ stored, decoded: decodeEvent(stored, UPCASTERS) })),
})

const CAUSES: readonly CommandCause[] = [
  { actor: 'user:1', correlationId: 'request-1', causationId: null },
  {
    actor: 'relay:0b0e5f0c-7f0e-4f0a-9d3c-2a1f5be0a001',
    correlationId: 'request "2"',
    causationId: null,
  },
  { actor: 'system', correlationId: 'job-3', causationId: '5c1a2f7e-3f0d-4b55-8a37-0d4f3f6f9b10' },
]

const causeOf = (index: number): CommandCause => CAUSES[index % CAUSES.length] ?? SYSTEM
const SYSTEM: CommandCause = { actor: 'system', correlationId: 'golden', causationId: null }

/** A UUID that stands for a text, so that files come out the same. */
export function uuidOf(text: string): string {
  const hex = createHash('sha256').update(text).digest('hex')
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-a${hex.slice(17, 20)}-${hex.slice(20, 32)}`
}
