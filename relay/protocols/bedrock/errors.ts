import type { IncomingHttpHeaders } from 'node:http'
import { headerText } from '../../upstream/header-text.ts'
import { type UpstreamError, upstreamError } from '../../upstream/errors.ts'

/** Anthropic's type of an exception, by the name that Bedrock gives it (docs.aws.amazon.com/bedrock/latest/APIReference). */
const TYPES: ReadonlyMap<string, string> = new Map([
  ['validationexception', 'invalid_request_error'],
  ['throttlingexception', 'rate_limit_error'],
  ['servicequotaexceededexception', 'rate_limit_error'],
  ['modelnotreadyexception', 'rate_limit_error'],
  ['accessdeniedexception', 'permission_error'],
  ['resourcenotfoundexception', 'not_found_error'],
  ['unrecognizedclientexception', 'authentication_error'],
  ['invalidsignatureexception', 'authentication_error'],
  ['expiredtokenexception', 'authentication_error'],
  ['incompletesignatureexception', 'authentication_error'],
  ['serviceunavailableexception', 'overloaded_error'],
])
const NAME = /^[A-Za-z]{1,64}/
/** The model failed: as Anthropic's own 5xx, not a mistake of the client. */
const MODEL_FAILED = 424

/** Anthropic's type of one of Bedrock's exceptions. */
export const errorType = (exception: string): string =>
  TYPES.get(exception.toLowerCase()) ?? 'api_error'

/** An answer that is an error: the exception stands in a header, its message in the body. */
export function bedrockError(
  status: number,
  headers: IncomingHttpHeaders,
  body: Buffer,
  key: string,
): UpstreamError {
  const error = upstreamError(status, body, key)
  const [exception = ''] = NAME.exec(headerText(headers, 'x-amzn-errortype')) ?? []
  return {
    ...error,
    status: status === MODEL_FAILED ? 502 : status,
    type: errorType(exception),
    code: exception === '' ? error.code : exception,
  }
}
