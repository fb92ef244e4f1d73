import { Metadata, status, type StatusObject } from '@grpc/grpc-js'

/**
 * The clients that the double lets in, and to what; writes are denied by stream, see DoubleLog. Only new calls are
 * asked.
 */
export class DoubleRights {
  /** User and password that each call must carry; null = anybody. */
  user: { readonly name: string; readonly password: string } | null = null
  /** Whether the whole log may be read and followed. */
  mayReadLog = true
  /** As for a moment after a start. */
  isStarting = false

  /** The error that refuses a call, or null. */
  denialOf(metadata: Metadata, isOfLog: boolean): (Error & StatusObject) | null {
    if (this.isStarting) return failure(status.UNAVAILABLE, 'Server Is Not Ready')
    if (this.user !== null && !carries(metadata, this.user)) {
      return failure(status.UNAUTHENTICATED, 'Unauthenticated')
    }
    if (!isOfLog || this.mayReadLog) return null
    return failure(status.PERMISSION_DENIED, 'Access Denied', 'access-denied')
  }
}

function carries(metadata: Metadata, user: NonNullable<DoubleRights['user']>): boolean {
  const expected = Buffer.from(`${user.name}:${user.password}`).toString('base64')
  return metadata.get('authorization').includes(`Basic ${expected}`)
}

function failure(code: status, details: string, exception?: string): Error & StatusObject {
  const metadata = new Metadata()
  if (exception !== undefined) metadata.set('exception', exception)
  return Object.assign(new Error(details), { code, details, metadata })
}
