import { isObject, type JsonObject } from '../../json.ts'
import { AnswerOutput } from '../../metering/answer-output.ts'
import { memberOf, objectIn, objectsIn, textIn } from './names.ts'

/** A model's output in Google's candidates: text, thoughts, calls of functions, code, pictures, speech. */
export class CandidatesOutput extends AnswerOutput {
  #calls = 0

  /** Takes the candidates of an answer, or of a frame of one. */
  take(candidates: unknown): void {
    const before = this.weight
    for (const candidate of objectsIn(candidates)) {
      for (const part of objectsIn(objectIn(candidate, 'content')['parts'])) this.#part(part)
    }
    if (this.weight > before) this.addDelta()
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
