import {
  type CodedFailure,
  codedFailure,
} from '@tollgate/command-api/http-contract/failure-code.ts'

/** What a console request is refused with: the contract's text, and what it can be rendered from in any language. */
export interface FailureEnvelope extends CodedFailure {
  readonly success: false
  readonly message: string
}

export const failureEnvelope = (message: string): FailureEnvelope => ({
  success: false,
  message,
  ...codedFailure(message),
})
