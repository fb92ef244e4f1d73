import { lazy, Suspense } from 'react'
import { textsOf } from '../../core/i18n.ts'
import { useIsSessionOver } from '../../core/session.ts'

/** Only those whose session ended load it. */
const SignInAgain = lazy(async () => {
  const texts = textsOf('auth')()
  const { SignInAgain } = await import('./sign-in-again.tsx')
  await texts
  return { default: SignInAgain }
})

/** Over any page, while its calls wait for a sign-in. */
export function SignInAgainPlace() {
  return useIsSessionOver() ? (
    <Suspense>
      <SignInAgain />
    </Suspense>
  ) : null
}
