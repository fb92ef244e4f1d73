import { useQueryClient } from '@tanstack/react-query'
import { useRouter } from '@tanstack/react-router'
import type { SessionUser } from '../../core/contract.ts'
import { setSessionUser } from '../../core/session.ts'

/** Remembers who signed in, forgets what the visitor before them was shown, and goes to a path of this site. */
export function useEnter(): (user: SessionUser, path: string) => void {
  const router = useRouter()
  const client = useQueryClient()
  return (user, path) => {
    client.clear()
    setSessionUser(user)
    router.history.replace(path)
  }
}
