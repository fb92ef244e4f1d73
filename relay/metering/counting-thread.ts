// oxlint-disable unicorn/require-post-message-target-origin -- a worker's port has no origin; the rule means windows
import { parentPort } from 'node:worker_threads'
import type { CountAnswer, CountQuestion } from './token-counter.ts'

/** Text beyond this is counted in proportion to this much of it. */
const COUNTED_CHARACTERS_MAX = 2_000_000

type Encoding = { countTokens(text: string, options: object): number }
const loaded = new Map<string, Promise<Encoding>>()

/** Which vocabulary a model uses (relay-and-billing.md 4.11, and OpenAI's newer models). */
function vocabularyOf(model: string): 'cl100k_base' | 'o200k_base' {
  return /^(gpt-3\.5|gpt-4(?!o|\.)|text-embedding|davinci|babbage)/.test(model)
    ? 'cl100k_base'
    : 'o200k_base'
}

function load(vocabulary: 'cl100k_base' | 'o200k_base'): Promise<Encoding> {
  const known = loaded.get(vocabulary)
  if (known !== undefined) return known
  const loading: Promise<Encoding> =
    vocabulary === 'cl100k_base'
      ? import('gpt-tokenizer/encoding/cl100k_base')
      : import('gpt-tokenizer/encoding/o200k_base')
  loaded.set(vocabulary, loading)
  return loading
}

async function count({ number, model, text }: CountQuestion): Promise<CountAnswer> {
  const encoding = await load(vocabularyOf(model))
  const counted = text.slice(0, COUNTED_CHARACTERS_MAX)
  // Special tokens in a user's text are text.
  const tokens = encoding.countTokens(counted, { disallowedSpecial: new Set() })
  return { number, tokens: Math.ceil((tokens * text.length) / counted.length) }
}

parentPort?.on('message', (question: CountQuestion) => {
  count(question).then(
    (answer) => parentPort?.postMessage(answer),
    () => parentPort?.postMessage({ number: question.number, tokens: -1 } satisfies CountAnswer),
  )
})
