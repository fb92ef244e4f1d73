import { subscribe } from 'node:diagnostics_channel'
import { Socket } from 'node:net'

/** Tells the connection of every request just before its head is written; undici says it nowhere else. */
export function onRequestSent(listener: (socket: Socket) => void): void {
  subscribe('undici:client:sendHeaders', (message) => {
    if (typeof message !== 'object' || message === null || !('socket' in message)) return
    if (message.socket instanceof Socket) listener(message.socket)
  })
}
