import { readdirSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'

const ROOT = new URL('../../../', import.meta.url)
const read = (path: string): string => readFileSync(new URL(path, ROOT), 'utf8')
const sourcesIn = (folder: string): readonly string[] =>
  readdirSync(new URL(folder, ROOT))
    .filter((name) => /^(?!schema)[\w-]+\.ts$/.test(name))
    .map((name) => `${folder}${name}`)

/** Everything that has words for operators about EventStoreDB. */
const SOURCES = [
  ...sourcesIn('infra/event-store/eventstoredb/'),
  ...sourcesIn('command-api/timelines/log-pair/'),
  'command-api/timelines/log-watch.ts',
  'infra/event-store/append-health.ts',
  'infra/processes/engines/wait-for-event-store.ts',
  'infra/processes/engines/watched-log.ts',
  'infra/processes/engines/kept-pair.ts',
  'infra/processes/engines/log-claim.ts',
  'infra/processes/composition/cut-streams.ts',
  'infra/backup/log-elsewhere.ts',
  'infra/log-copy/move-log.ts',
]
/** Instructions behind a message that is in the list, and statements to PostgreSQL. */
const NO_MESSAGE = /^(Set |Bring |select |insert |update |\$\{settingsOf)/

/** The first words of a message that always stand together, at least three of them; null for what is no prose. */
function fixedWords(literal: string): string | null {
  const prose = literal
    .split(/\$\{[^{}]*(?:\{[^{}]*\}[^{}]*)*\}/)
    .flatMap((part) => part.split(/[:;.(]\s|\.$|\s\($|[()]/))
  const pieces = prose.map((piece) => piece.replace(/^[\s,)]+|[\s,(]+$/g, ''))
  return pieces.find((piece) => /^[\w$-][\w$,"'’:/?-]*( [\w$,"'’:/?%-]+){2,}$/.test(piece)) ?? null
}

function messagesOf(path: string): readonly string[] {
  const code = read(path)
    .replaceAll(/\/\*[^]*?\*\//g, '')
    .replaceAll(/^\s*\/\/.*$/gm, '')
  return [...code.matchAll(/'([^'\n]+)'|`([^`]+)`/g)]
    .map(([, quoted, template]) => quoted ?? template ?? '')
    .filter((literal) => !NO_MESSAGE.test(literal.trimStart()))
    .map(fixedWords)
    .filter((words) => words !== null)
}

test('given the messages about EventStoreDB, when looked up, then docs/eventstoredb.md has each', () => {
  const docs = read('docs/eventstoredb.md')
  const messages = SOURCES.flatMap((path) => messagesOf(path).map((words) => ({ path, words })))
  expect(messages.length).toBeGreaterThan(40)
  expect(messages.filter(({ words }) => !docs.includes(words))).toEqual([])
})
