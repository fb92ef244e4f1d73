import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { get, remove } from '../../core/api.ts'
import { pathOf } from '../../core/calls.ts'
import { notifySuccess } from '../notify.tsx'

/** Where the sessions of the viewer (by default) or of a user below are listed and ended. */
const sessionsAt = (userId?: number) =>
  userId === undefined ? '/api/user/sessions' : pathOf('/api/user/{id}/sessions', { id: userId })

/** Where one of them is ended. */
const sessionAt = (session: string, userId?: number) =>
  userId === undefined
    ? pathOf('/api/user/sessions/{session}', { session })
    : pathOf('/api/user/{id}/sessions/{session}', { id: userId, session })

/** The viewer's own sessions, or those of a user below; the one used last comes first. */
export const sessionsQuery = (userId?: number) =>
  queryOptions({
    queryKey: ['sessions', userId ?? 'own'],
    queryFn: ({ signal }) => get(sessionsAt(userId), undefined, signal),
  })

/** Ends one session by its id, or by null all but the viewer's present one. */
export function useEndSession(userId?: number, onEnded?: () => void) {
  const { t } = useTranslation()
  const client = useQueryClient()
  return useMutation({
    mutationFn: (id: string | null) =>
      remove(id === null ? sessionsAt(userId) : sessionAt(id, userId)),
    onSuccess: () => {
      notifySuccess(t('session.ended'))
      onEnded?.()
    },
    onSettled: () => client.invalidateQueries({ queryKey: sessionsQuery(userId).queryKey }),
  })
}
