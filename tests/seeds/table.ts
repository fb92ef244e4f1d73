import { z } from 'zod'

const place = {
  /** Number of the requirement; for good, so that others can speak of it. */
  no: z.int().positive(),
  /** Address of the screen that shows it or needs it. */
  screen: z.string().min(1),
  sentence: z.string().regex(/\.$/u),
}
const proven = z.strictObject({
  ...place,
  /** File of the test, from the repository's root. */
  test: z.string().endsWith('.test.ts'),
  /** How the test's title begins, with what is in it for tables of cases. */
  name: z.string().min(1),
})
const gap = z.strictObject({ ...place, test: z.null(), gap: z.string().min(1) })

/** The requirements of the specifications on the console, each with the test that proves it, or with what lacks. */
export const requirementsSchema = z.array(z.union([proven, gap]))
export type Requirement = z.output<typeof requirementsSchema>[number]

type Proven = z.output<typeof proven>
type Gap = z.output<typeof gap>
const isProven = (one: Requirement): one is Proven => one.test !== null
const isGap = (one: Requirement): one is Gap => one.test === null

/** The fault in where a requirement points, or null. `read` answers a file's text, or null if there is none. */
export function problemOf(
  { no, test, name }: Proven,
  read: (path: string) => string | null,
): string | null {
  const text = read(test)
  if (text === null) return `${no}: there is no ${test}`
  const found = ["'", '"', '`'].reduce((sum, quote) => sum + text.split(quote + name).length - 1, 0)
  if (found === 1) return null
  return `${no}: ${found} titles in ${test} begin with “${name}”`
}

/** The problems of all requirements; numbers that come twice are among them. */
export function problemsIn(
  requirements: readonly Requirement[],
  read: (path: string) => string | null,
): readonly string[] {
  const numbers = requirements.map(({ no }) => no)
  const twice = numbers.filter((no, index) => numbers.indexOf(no) !== index)
  return [
    ...twice.map((no) => `${no}: comes twice`),
    ...requirements.filter(isProven).flatMap((one) => problemOf(one, read) ?? []),
  ]
}

/** The README: first what nothing proves yet, then every requirement by screen with its test. */
export function tableOf(requirements: readonly Requirement[]): string {
  const gaps = requirements.filter(isGap)
  const byScreen = Map.groupBy(requirements.filter(isProven), ({ screen }) => screen)
  const screens = [...byScreen.keys()].toSorted()
  return `${[
    '# What the specifications ask of the console, and which test proves it',
    '',
    '<!-- Written by `npm run seeds` from requirements.json; a test fails while they differ. -->',
    '',
    `${requirements.length} requirements: ${requirements.length - gaps.length} are proven by a test, ${gaps.length} are not. ` +
      'A requirement that changes, or a test that is renamed, is entered in `requirements.json`; then `npm run seeds` writes this table anew.',
    '',
    `## Not proven (${gaps.length})`,
    '',
    ...table(
      ['no', 'screen', 'requirement', 'what lacks'],
      gaps.map((one) => [String(one.no), code(one.screen), one.sentence, one.gap]),
    ),
    ...screens.flatMap((screen) => [
      '',
      `## ${screen.startsWith('/') ? code(screen) : capital(screen)}`,
      '',
      ...table(
        ['no', 'requirement', 'test'],
        (byScreen.get(screen) ?? []).map((one) => [String(one.no), one.sentence, testOf(one)]),
      ),
    ]),
  ].join('\n')}\n`
}

const code = (text: string): string => (text.startsWith('/') ? `\`${text}\`` : text)
const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1)
const testOf = ({ test, name }: Proven): string => `[${test}](../../${test}): ${name}…`

function table(head: readonly string[], rows: readonly (readonly string[])[]): readonly string[] {
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell) => cell.replaceAll('|', String.raw`\|`)).join(' | ')} |`
  return [line(head), line(head.map(() => '---')), ...rows.map(line)]
}
