import { isObject, type JsonObject } from '../../json.ts'
import { AnswerOutput } from '../../metering/answer-output.ts'
import { memberOf, objectIn, objectsIn, textIn, wholeIn } from './names.ts'

/** A model's output in Google's candidates: text, thoughts, calls of functions, code, pictures, speech; and its searches. */
export class CandidatesOutput extends AnswerOutput {
  #calls = 0
  /** Queries of Google's search by candidate: frames tell them again. */
  readonly #searches = new Map<number, number>()

  /** Takes the candidates of an answer, or of a frame of one. */
  take(candidates: unknown): void {
    const before = this.weight
    for (const [place, candidate] of objectsIn(candidates).entries()) {
      this.#search(candidate, place)
      for (const part of objectsIn(objectIn(candidate, 'content')['parts'])) this.#part(part)
    }
    if (this.weight > before) this.addDelta()
  }

  #search(candidate: JsonObject, place: number): void {
    const queries = memberOf(objectIn(candidate, 'groundingMetadata'), 'webSearchQueries')
    const told = Array.isArray(queries) ? queries.length : 0
    const index = wholeIn(candidate, 'index') ?? place
    const known = this.#searches.get(index) ?? 0
    for (let search = known; search < told; search += 1) this.addWebSearch()
    this.#searches.set(index, Math.max(known, told))
  }

  #part(part: JsonObject): void {
    this.addText(part['text'])
    const call = memberOf(part, 'functionCall')
    if (isObject(call)) {
      this.#calls += 1
      this.countToolCalls(this.#calls)
      this.addText(call['name'])
      if (isObject(call['args'])) this.addText(JSON.stringify(call['args']))
    }
    this.addText(objectIn(part, 'executableCode')['code'])
    this.addText(objectIn(part, 'codeExecutionResult')['output'])
    const inline = objectIn(part, 'inlineData')
    const mime = textIn(inline, 'mimeType')
    if (mime.startsWith('image/')) this.addImages(1)
    if (mime.startsWith('audio/')) this.addAudio(textIn(inline, 'data'))
  }
}
