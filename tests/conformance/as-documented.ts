import type { Recording } from './recordings/recording.ts'

type Json = Readonly<Record<string, unknown>>

/**
 * A recording as its provider would have written it by OpenAI's rule for usage, which Tollgate follows whatever a
 * provider does: usage comes once, in a chunk of its own before `[DONE]`, and only where it is asked for. This is what
 * clients are to see.
 */
export function asDocumented(recording: Recording, isAsked: boolean): string {
  const { body, direct, headers, protocol } = recording
  if (direct !== undefined) return direct
  if (protocol !== 'openai' || headers['content-type'] === 'application/json') return body
  let usage: unknown = null
  let first: Json = {}
  const events = body.split(/(?<=\r?\n\r?\n)/u)
  const texts = events.flatMap((event) => {
    const line = /^data: (?<json>\{.*\})/mu.exec(event)?.groups?.['json']
    if (line === undefined) {
      const isEnd = event.startsWith('data: [DONE]')
      return isEnd && isAsked && usage !== null ? [usageEvent(first, usage, event), event] : [event]
    }
    const chunk = JSON.parse(line) as Json
    if (chunk['id'] !== '') first = Object.keys(first).length > 0 ? first : chunk
    usage = usageOf(chunk) ?? usage
    if (isUsageAlone(chunk)) return []
    return [event.replace(line, JSON.stringify(withoutUsage(chunk, isAsked)))]
  })
  return texts.join('')
}

function usageOf(chunk: Json): unknown {
  const [choice] = (chunk['choices'] as readonly Json[] | undefined) ?? []
  const beside = (chunk['x_groq'] as Json | undefined)?.['usage']
  return chunk['usage'] ?? choice?.['usage'] ?? beside ?? null
}

const isUsageAlone = (chunk: Json): boolean =>
  Array.isArray(chunk['choices']) && chunk['choices'].length === 0 && Boolean(chunk['usage'])

function withoutUsage(chunk: Json, isAsked: boolean): Json {
  const { usage, ...rest } = chunk
  const choices = chunk['choices'] as readonly Json[] | undefined
  const bare = choices === undefined ? rest : { ...rest, choices: choices.map(withoutOwnUsage) }
  if (usage === undefined) return bare
  return isAsked || usage === null ? { ...bare, usage: null } : bare
}

const withoutOwnUsage = (choice: Json): Json =>
  Object.fromEntries(Object.entries(choice).filter(([name]) => name !== 'usage'))

function usageEvent(first: Json, usage: unknown, end: string): string {
  const { id, created, model } = first
  const chunk = { id, object: 'chat.completion.chunk', created, model, choices: [], usage }
  return `data: ${JSON.stringify(chunk)}${end.slice('data: [DONE]'.length)}`
}
