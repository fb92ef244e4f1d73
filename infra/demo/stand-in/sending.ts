import type { ServerResponse } from 'node:http'

/** An error in OpenAI's shape. */
export const errorBody = (message: string, type: string, code: string | null): string =>
  JSON.stringify({ error: { message, type, param: null, code } })

/** Answers with an error in OpenAI's shape. */
export const sendError = (
  response: ServerResponse,
  status: number,
  {
    message,
    type,
    code,
  }: { readonly message: string; readonly type: string; readonly code: string | null },
): void => sendJson(response, status, errorBody(message, type, code))

/** Answers with JSON text as it is. */
export const sendJson = (response: ServerResponse, status: number, text: string): void =>
  send(response, status, 'application/json', text)

/** Answers with a whole body. */
export function send(response: ServerResponse, status: number, type: string, text: string): void {
  response.writeHead(status, { 'content-type': type, 'content-length': Buffer.byteLength(text) })
  response.end(text)
}

/** Promises `length` bytes, sends some, and cuts the connection. */
export function cutAfter(response: ServerResponse, text: string, length: number): void {
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': length })
  response.write(text, () => response.destroy())
}

/** Begins an answer and leaves it open. */
export function openWith(response: ServerResponse, text: string): void {
  response.writeHead(200, { 'content-type': 'application/json' })
  response.write(text)
}

/** Resolves when more can be written or the other side has left. */
export function drained(response: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    const go = (): void => {
      response.off('drain', go)
      response.off('close', go)
      resolve()
    }
    response.on('drain', go)
    response.on('close', go)
  })
}
