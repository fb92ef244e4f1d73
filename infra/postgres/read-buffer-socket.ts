import { Socket } from 'node:net'

const BUFFER_BYTES = 65_536

/** Takes the bytes of a read, in the socket's own buffer: valid for the call. */
export type TakeRead = (bytes: Buffer) => void

/**
 * A socket that reads into one buffer again and again. Node makes a buffer of 64 KiB for each read otherwise: gigabytes
 * that are copied out of PostgreSQL keep the collector busy and leave the process's memory in pieces.
 */
export class ReadBufferSocket extends Socket {
  /** Takes what is read in place of listeners to `data`, which are given a copy. */
  takeRead: TakeRead | null = null

  constructor() {
    super({
      onread: {
        buffer: Buffer.allocUnsafeSlow(BUFFER_BYTES),
        callback: (count, buffer) => {
          const bytes = (buffer as Buffer).subarray(0, count)
          if (this.takeRead === null) this.emit('data', Buffer.from(bytes))
          else this.takeRead(bytes)
          return true
        },
      },
    })
  }
}
