import type { Refusal } from '../../refusal.ts'

/**
 * An error as the last event of a stream (platform.openai.com/docs/api-reference/responses-streaming/error). Its members
 * stand in an object as well: OpenAI's SDKs raise those and pass the flat ones on as an event.
 */
export function errorEvent(
  { message, type, code, param, members }: Refusal,
  requestId: string,
  sequence: number,
): string {
  const said = { code, message: `${message} (request id: ${requestId})`, param: param || null }
  const event = {
    type: 'error',
    sequence_number: sequence,
    ...said,
    error: { type, ...said, ...members },
  }
  return `event: error\ndata: ${JSON.stringify(event)}\n\n`
}
