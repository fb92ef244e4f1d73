import type { Socket } from 'node:net'
import { onRequestSent } from './sent-requests.ts'

/** Requests that were sent on a connection. */
const requestsOn = new WeakMap<Socket, number>()
/** Errors that broke connections that had served a request before. */
const failuresOfReused = new WeakSet<Error>()

/**
 * Whether this error broke a connection that was kept from an earlier request: it may have been closed while it lay
 * idle. A fresh one that breaks is upstream's doing, and upstream may have seen the request.
 */
export const brokeReusedConnection = (error: Error): boolean => failuresOfReused.has(error)

onRequestSent((socket) => {
  const before = requestsOn.get(socket) ?? 0
  requestsOn.set(socket, before + 1)
  if (before > 0) return
  // First of all listeners, so that it is noted when undici fails the request.
  socket.prependListener('error', (error: Error) => {
    if ((requestsOn.get(socket) ?? 0) > 1) failuresOfReused.add(error)
  })
})
