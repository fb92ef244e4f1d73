import { execFile } from 'node:child_process'
import { readdir, readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { verifyStream } from '@tollgate/infra/event-store/chain.ts'
import { decodeEvent } from '@tollgate/infra/event-store/stored-event.ts'
import { SCHEMAS_BY_VERSION } from '@tollgate/infra/event-store/schemas/by-version.ts'
import { UPCASTERS } from '@tollgate/infra/event-store/upcasters.ts'
import { schemaVersionOf } from '@tollgate/domain/schema-versions.ts'
import { describe, expect, test } from 'vitest'
import { goldenCases } from './cases.ts'
import {
  type Golden,
  GOLDEN_TYPES,
  goldenText,
  readGoldens,
  readGoldenText,
} from './golden-file.ts'
import { type GoldenType, SCHEMAS } from './schemas.ts'
import { armsOf, armsTaken, shapeOf } from './shape.ts'
import { shapeProblem } from './shape-problem.ts'
import { TEXT_PLACES } from './text-places.ts'

const goldens = await readGoldens()
const goldensOf = (type: string): readonly Golden[] =>
  goldens.filter((golden) => golden.type === type)
const root = fileURLToPath(new URL('../..', import.meta.url))

/** Values that the types permit and no decider writes. */
const NEVER_WRITTEN: ReadonlySet<string> = new Set([
  // Root is made by the setup and stays the only one.
  'UserRoleChanged: data.role = 100',
])

describe.each(goldens.map((golden) => [golden.type, golden.schemaVersion, golden] as const))(
  'the golden file of %s version %i',
  (type, schemaVersion, golden) => {
    test('given its stored text, when decoded, then it is what it was', () => {
      expect(golden.cases.length).toBeGreaterThan(0)
      for (const { stored, decoded } of golden.cases) {
        expect(decodeEvent(stored, UPCASTERS)).toEqual(decoded)
      }
    })

    test('given its text, when frozen anew, then not one byte is different', async () => {
      expect(await readGoldenText(golden)).toBe(goldenText(golden))
    })

    test('given its stored text, when its hashes are checked, then nobody has changed it', async () => {
      for (const stream of new Set(golden.cases.map(({ stored }) => stored.stream))) {
        const events = golden.cases.map(({ stored }) => stored).filter((s) => s.stream === stream)
        expect((await verifyStream(events)).firstBreak).toBeNull()
      }
    })

    test('given its stored text, when looked at, then it has the shape and version of the file', () => {
      for (const { stored } of golden.cases) {
        expect(armsTaken(golden.shape, JSON.parse(stored.dataText))).not.toBeNull()
        expect(stored.type).toBe(type)
        expect((JSON.parse(stored.metadataText) as { schemaVersion: number }).schemaVersion).toBe(
          schemaVersion,
        )
      }
    })

    test('given the schema that its version is read by, when compared, then it has the shape of the file', () => {
      const schema = SCHEMAS_BY_VERSION.get(type)?.[schemaVersion - 1]
      expect(schema && shapeOf(schema)).toEqual(golden.shape)
    })

    test('given its decoded events, when read by the newest schema, then upcasters have brought them there', () => {
      for (const { decoded } of golden.cases) {
        expect(decoded.metadata.schemaVersion).toBe(schemaVersionOf(type))
        expect(armsTaken(shapeOf(SCHEMAS[type as GoldenType]), decoded.data)).not.toBeNull()
      }
    })
  },
)

describe.each(GOLDEN_TYPES)('%s', (type) => {
  const newest = schemaVersionOf(type)

  test('given its present shape, when compared with the golden file of its version, then they are the same', () => {
    const golden = goldensOf(type).find(({ schemaVersion }) => schemaVersion === newest)
    expect(shapeProblem(type, newest, shapeOf(SCHEMAS[type]), golden?.shape ?? null)).toBeNull()
  })

  test('given its present shape, when its texts are looked for, then each is said to name nobody', () => {
    const texts = armsOf(shapeOf(SCHEMAS[type]))
      .filter((arm) => arm.endsWith(' = string'))
      .map((arm) => arm.slice('data.'.length, -' = string'.length))
    expect([...new Set(texts)].toSorted()).toEqual(Object.keys(TEXT_PLACES[type] ?? {}).toSorted())
  })

  test('given all its versions, when counted, then each from 1 on has a golden file', () => {
    const versions = goldensOf(type).map(({ schemaVersion }) => schemaVersion)
    expect(versions.toSorted((a, b) => a - b)).toEqual(
      Array.from({ length: newest }, (_, index) => index + 1),
    )
  })

  test('given the golden file of its version, when looked through, then every field and form is there', () => {
    const shape = shapeOf(SCHEMAS[type])
    const taken = goldensOf(type)
      .filter(({ schemaVersion }) => schemaVersion === newest)
      .flatMap(({ cases }) => cases)
      .flatMap(({ stored }) => armsTaken(shape, JSON.parse(stored.dataText)) ?? [])
    const missing = armsOf(shape).filter(
      (arm) => !taken.includes(arm) && !NEVER_WRITTEN.has(`${type}: ${arm}`),
    )
    expect(missing).toEqual([])
  })
})

test('given what the deciders make, when read by the schemas, then nothing is missing or extra', () => {
  for (const event of goldenCases().flatMap(({ events }) => events)) {
    const isOfShape = armsTaken(shapeOf(SCHEMAS[event.type]), event.data) !== null
    expect({ event, isOfShape }).toEqual({ event, isOfShape: true })
  }
})

test('given every event type in the source, when looked for here, then it has a schema', async () => {
  const named = await typesInSource(['domain', 'command-api', 'projections', 'relay'])
  expect(named.size).toBeGreaterThan(30)
  const problems = [...named]
    .filter((type) => !Object.hasOwn(SCHEMAS, type))
    .map(
      (type) =>
        `add ${type} to infra/event-store/schemas and tests/golden/cases.ts, then run events:freeze`,
    )
  expect(problems).toEqual([])
})

test('given the texts of events, when those of persons are counted, then they are no more than there were', () => {
  const persons = Object.entries(TEXT_PLACES).flatMap(([type, places]) =>
    Object.entries(places).flatMap(([place, kind]) =>
      kind === 'note' || kind === 'addresses' ? [`${type}.${place}`] : [],
    ),
  )
  expect(persons.toSorted()).toEqual([
    'BalanceCarriedForward.account.tokens[][8][]',
    'EventsSetAside.reason',
    'QuotaCredited.adjustment.legacyText',
    'QuotaDebited.adjustment.legacyText',
  ])
})

test('given golden files, when their types are looked for, then every one can still be read', () => {
  expect(goldens.map(({ type }) => type).filter((type) => !Object.hasOwn(SCHEMAS, type))).toEqual(
    [],
  )
})

test('given the domain’s types, when the compiler compares them with the schemas, then they are equal', async () => {
  const compiler = `${root}/node_modules/typescript/bin/tsc`
  const output = await promisify(execFile)(process.execPath, [
    compiler,
    '-p',
    `${root}/tests/golden/tsconfig.json`,
  ]).then(
    () => '',
    (error: { stdout: string }) => error.stdout,
  )
  const advice = 'change the schema alike, and read domain/README.md, "Changing an event"'
  expect(output === '' ? null : `${output}${advice}`).toBeNull()
})

/** The names in `DomainEvent<'Name', …>`. */
async function typesInSource(folders: readonly string[]): Promise<ReadonlySet<string>> {
  const names = new Set<string>()
  for (const folder of folders) {
    for (const path of await readdir(`${root}/${folder}`, { recursive: true })) {
      if (path.includes('node_modules') || !/(?<!\.test)\.ts$/.test(path)) continue
      const source = await readFile(`${root}/${folder}/${path}`, 'utf8')
      for (const [, name] of source.matchAll(/\bDomainEvent<\s*'(\w+)'/g)) names.add(name ?? '')
    }
  }
  return names
}
