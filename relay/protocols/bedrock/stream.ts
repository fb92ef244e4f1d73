import { isObject, parseForeign } from '../../json.ts'
import { AwsEventFramer, type AwsMessage } from '../../streams/aws-event-framer.ts'
import { ClaudeStream } from '../claude/stream.ts'
import { errorType } from './errors.ts'

/** A stream of Bedrock: Anthropic's events, each within a message of AWS's event stream. */
export class BedrockStream extends ClaudeStream {
  readonly #framer = new AwsEventFramer()

  override get fault(): string | null {
    return super.fault ?? this.#framer.fault
  }

  override push(chunk: Buffer): Buffer {
    return super.push(Buffer.from(this.#framer.push(chunk).map(eventOf).join('')))
  }
}

/** A message as the event that Anthropic would send; '' for one that says nothing. */
function eventOf({ headers, payload }: AwsMessage): string {
  const told = parseForeign(payload.toString('utf8'))
  const body = isObject(told) ? told : {}
  if (headers.get(':message-type') === 'event') {
    const { bytes } = body
    return typeof bytes === 'string' ? anthropicEvent(Buffer.from(bytes, 'base64').toString()) : ''
  }
  const code = headers.get(':exception-type') ?? headers.get(':error-code') ?? ''
  const { message } = body
  const said = typeof message === 'string' ? message : (headers.get(':error-message') ?? code)
  const error = { type: errorType(code), code, message: said }
  return anthropicEvent(JSON.stringify({ type: 'error', error }))
}

function anthropicEvent(json: string): string {
  const event = parseForeign(json)
  const type = isObject(event) ? event['type'] : null
  const name = typeof type === 'string' && NAME.test(type) ? `event: ${type}\n` : ''
  return `${name}data: ${json.replaceAll(/\r\n?|\n/g, '\ndata: ')}\n\n`
}

const NAME = /^\w{1,64}$/
