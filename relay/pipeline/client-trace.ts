import type { IncomingHttpHeaders } from 'node:http'
import type { ClientTrace } from '@tollgate/domain/account/request-facts.ts'
import { headerText } from '../upstream/header-text.ts'

/** The characters of ids; another text may be a person's words, which events do not hold. */
const CLIENT_REQUEST_ID = /^[\w.:/+=-]{1,200}$/
/** W3C's traceparent, of any version; a trace of zeros is none. */
const TRACEPARENT = /^[\da-f]{2}-(?!0{32})([\da-f]{32})-[\da-f]{16}-[\da-f]{2}(?:-|$)/

/** A client's own names for its request, from its headers; malformed ones are not noted. */
export function clientTrace(headers: IncomingHttpHeaders): ClientTrace {
  const clientRequestId = headerText(headers, 'x-client-request-id')
  const traceId = TRACEPARENT.exec(headerText(headers, 'traceparent'))?.[1]
  return {
    ...(CLIENT_REQUEST_ID.test(clientRequestId) && { clientRequestId }),
    ...(traceId !== undefined && { traceId }),
  }
}
