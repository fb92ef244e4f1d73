import { crc32 } from 'node:zlib'
import type { JsonObject } from '@tollgate/relay/json.ts'

/** For tests: an event of Bedrock's, within a message of AWS's event stream. */
export function awsEvent(data: JsonObject): Buffer {
  const bytes = Buffer.from(JSON.stringify(data)).toString('base64')
  return awsMessage({ ':message-type': 'event', ':event-type': 'chunk' }, { bytes })
}

/** The same for an exception, as Bedrock names it: `throttlingException`. */
export const awsException = (exception: string, message: string): Buffer =>
  awsMessage({ ':message-type': 'exception', ':exception-type': exception }, { message })

function awsMessage(named: Readonly<Record<string, string>>, body: JsonObject): Buffer {
  const headers = Buffer.concat(
    Object.entries({ ...named, ':content-type': 'application/json' }).map(([name, value]) => {
      const length = Buffer.alloc(2)
      length.writeUInt16BE(value.length)
      return Buffer.concat([
        Buffer.from([name.length]),
        Buffer.from(name),
        Buffer.from([TEXT]),
        length,
        Buffer.from(value),
      ])
    }),
  )
  const payload = Buffer.from(JSON.stringify(body))
  const head = Buffer.alloc(8)
  head.writeUInt32BE(16 + headers.length + payload.length)
  head.writeUInt32BE(headers.length, 4)
  const message = Buffer.concat([head, checksum(head), headers, payload])
  return Buffer.concat([message, checksum(message)])
}

/** The type of a header whose value is a text. */
const TEXT = 7

function checksum(bytes: Buffer): Buffer {
  const sum = Buffer.alloc(4)
  sum.writeUInt32BE(crc32(bytes))
  return sum
}
