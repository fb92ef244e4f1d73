import { once } from 'node:events'
import { createServer, connect, type AddressInfo, type Server, type Socket } from 'node:net'

/** A port in front of a server: it can stop passing bytes, cut every connection, and come back. */
export interface Door {
  readonly port: number
  /** Bytes stop in both directions and connections stay open, as with a stopped process. */
  pause(): void
  /** The server's answers are held back while it still hears everything. */
  holdReplies(): void
  resume(): void
  /** Cuts all connections and refuses new ones. */
  shut(): Promise<void>
  /** Listens on the same port again. */
  open(): Promise<void>
  /** How many bytes servers have said through it. */
  repliedBytes(): number
}

/** Opens a port on 127.0.0.1 whose connections lead to the target. */
export const openDoor = (targetPort: number, targetHost = '127.0.0.1'): Promise<Door> =>
  openDoorTo(async () => connect(targetPort, targetHost))

/**
 * The same in front of any number of servers: an HTTP proxy whose clients say where each connection leads, TLS and all
 * (RFC 9110 9.3.6).
 */
export const openProxyDoor = (): Promise<Door> =>
  openDoorTo(async (outer) => {
    const [host, port] = await connectRequest(outer)
    const inner = connect(port, host)
    inner.once('connect', () => outer.write('HTTP/1.1 200 Connection established\r\n\r\n'))
    return inner
  })

const CONNECT_REQUEST = /^CONNECT (\S+):(\d+) HTTP\/1\.1\r\n/

/** Where a client wants to go. It says nothing more until it is answered. */
async function connectRequest(outer: Socket): Promise<[host: string, port: number]> {
  let head = ''
  while (!head.endsWith('\r\n\r\n')) {
    const [bytes] = (await once(outer, 'data')) as [Buffer]
    head += bytes.toString('latin1')
  }
  const [, host = '', port = ''] = CONNECT_REQUEST.exec(head) ?? []
  return [host, Number(port)]
}

async function openDoorTo(reach: (outer: Socket) => Promise<Socket>): Promise<Door> {
  const sockets = new Set<Socket>()
  const inners = new Set<Socket>()
  let isPaused = false
  let holdsReplies = false
  let replied = 0
  let server: Server
  let port = 0

  async function accept(outer: Socket): Promise<void> {
    sockets.add(outer)
    const inner = await reach(outer)
    inners.add(inner)
    inner.on('close', () => inners.delete(inner))
    join(outer, inner)
    join(inner, outer)
  }

  const isHeld = (socket: Socket): boolean => isPaused || (holdsReplies && inners.has(socket))

  function join(from: Socket, to: Socket): void {
    sockets.add(from)
    from.setNoDelay(true)
    from.on('data', (bytes: Buffer) => {
      if (inners.has(from)) replied += bytes.length
      if (!to.destroyed && !to.write(bytes)) from.pause()
    })
    to.on('drain', () => {
      if (!isHeld(from)) from.resume()
    })
    // Either side's end, orderly or not, is the end of both.
    from.on('error', () => to.destroy())
    from.on('close', () => {
      sockets.delete(from)
      to.destroy()
    })
    if (isHeld(from)) from.pause()
  }

  async function listen(): Promise<void> {
    server = createServer((outer) => {
      // A client that goes before it has said where it wants to go.
      accept(outer).catch(() => outer.destroy())
    })
    server.listen(port, '127.0.0.1')
    await once(server, 'listening')
    port = (server.address() as AddressInfo).port
  }

  await listen()
  return {
    get port() {
      return port
    },
    pause() {
      isPaused = true
      for (const socket of sockets) socket.pause()
    },
    holdReplies() {
      holdsReplies = true
      for (const socket of inners) socket.pause()
    },
    resume() {
      isPaused = false
      holdsReplies = false
      for (const socket of sockets) socket.resume()
    },
    async shut() {
      isPaused = false
      holdsReplies = false
      const closed = once(server, 'close')
      server.close()
      for (const socket of sockets) socket.destroy()
      await closed
    },
    open: listen,
    repliedBytes: () => replied,
  }
}
