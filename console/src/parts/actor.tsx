import { useTranslation } from 'react-i18next'

/** The cause of an event: a user by name, a relay without its long id, or the system. */
export function Actor({ of }: { of: { readonly actor: string; readonly actor_name: string } }) {
  const { t } = useTranslation()
  if (of.actor === 'system') return t('actor.system')
  if (of.actor.startsWith('relay:')) return t('actor.relay')
  return of.actor_name || of.actor
}
