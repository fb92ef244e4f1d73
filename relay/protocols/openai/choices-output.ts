import { isObject, type JsonObject } from '../../json.ts'
import { AnswerOutput } from '../../metering/answer-output.ts'

/** Content parts hold parts (Mistral's thinking); no provider nests them deeper than this. */
const PARTS_DEPTH_MAX = 4

/**
 * A model's output in OpenAI's choices. Everything delivered counts: text in all its places, input of tools, reasoning,
 * transcripts, audio, images.
 */
export class ChoicesOutput extends AnswerOutput {
  /** Takes the pieces of one chunk (or of a whole answer): `choices` of chat and text completions alike. */
  take(choices: unknown): void {
    if (!Array.isArray(choices)) return
    for (const choice of choices) {
      if (!isObject(choice)) continue
      const before = this.weight
      this.addText(choice['text'])
      this.#message(choice['delta'])
      this.#message(choice['message'])
      if (this.weight > before) this.addDelta()
    }
  }

  #message(message: unknown): void {
    if (!isObject(message)) return
    const before = this.weight
    this.#content(message['content'], 0)
    this.#reasoning(message)
    this.addText(message['refusal'])
    this.#audio(message['audio'])
    this.#images(message['images'])
    const calls = message['tool_calls']
    if (Array.isArray(calls)) this.#tools(calls)
    const call = message['function_call']
    if (isObject(call)) this.#function(call)
    if (this.weight === before) this.#unknown(message)
  }

  /** Text, or a list of parts (Mistral, Gemini behind OpenAI's protocol). */
  #content(content: unknown, depth: number): void {
    this.addText(content)
    if (!Array.isArray(content) || depth > PARTS_DEPTH_MAX) return
    for (const part of content) {
      if (!isObject(part)) {
        this.addText(part)
        continue
      }
      const before = this.weight
      this.addText(part['text'])
      this.addText(part['refusal'])
      this.#content(part['thinking'], depth + 1)
      this.#audio(part['audio'] ?? part['input_audio'])
      if ('image_url' in part) this.#images([part])
      if (this.weight === before) this.#unknown(part)
    }
  }

  /** OpenRouter sends the same thought twice, as text and in details: it counts once. */
  #reasoning(message: JsonObject): void {
    const text = message['reasoning_content'] ?? message['reasoning']
    const details = message['reasoning_details']
    const isText = typeof text === 'string' && text !== ''
    this.addText(text)
    if (!Array.isArray(details)) return
    for (const detail of details) {
      if (!isObject(detail)) continue
      if (!isText) this.addText(detail['text'] ?? detail['summary'])
      const hidden = detail['data']
      if (typeof hidden === 'string') this.addHidden(hidden.length)
    }
  }

  #audio(audio: unknown): void {
    if (!isObject(audio)) return
    this.addText(audio['transcript'])
    const { data } = audio
    if (typeof data === 'string') this.addAudio(data)
  }

  #images(images: unknown): void {
    if (Array.isArray(images)) this.addImages(images.length)
  }

  #tools(calls: readonly unknown[]): void {
    this.countToolCalls(calls.length)
    for (const call of calls) {
      if (!isObject(call)) continue
      const index = call['index']
      if (typeof index === 'number' && Number.isInteger(index) && index < 1_000) {
        this.countToolCalls(index + 1)
      }
      if (isObject(call['function'])) this.#function(call['function'])
      if (isObject(call['custom'])) this.#function(call['custom'])
    }
  }

  #function(call: JsonObject): void {
    this.addText(call['name'])
    this.addText(call['arguments'])
    this.addText(call['input'])
  }

  /** A kind of output that is not known here counts by its texts, so that nothing new is free. */
  #unknown(value: unknown, depth = 0): void {
    this.addText(value)
    if (typeof value !== 'object' || value === null || depth > PARTS_DEPTH_MAX) return
    for (const [key, member] of Object.entries(value)) {
      if (!LABELS.has(key)) this.#unknown(member, depth + 1)
    }
  }
}

/** Members that label contents, and are not the model's writing. */
const LABELS: ReadonlySet<string> = new Set([
  'role',
  'type',
  'id',
  'index',
  'name',
  'format',
  'annotations',
  'obfuscation',
])
