import { Text } from '@chakra-ui/react'
import { useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import { remove } from '../../core/api.ts'
import { setSessionUser } from '../../core/session.ts'
import { useExact } from '../../parts/exact-money.tsx'
import { TextField } from '../../parts/fields.tsx'
import { FormDialog } from '../../parts/form/form-dialog.tsx'
import { useForm } from '../../parts/form/use-form.ts'
import { notifySuccess } from '../../parts/notify.tsx'

/** Ends the account once its name has been typed, and signs out. */
export function DeleteAccount(props: { username: string; quota: number; onClose: () => void }) {
  const { username, onClose } = props
  const { t } = useTranslation()
  const exact = useExact()
  const client = useQueryClient()
  const navigate = useNavigate()
  const form = useForm<{ typed: string }, 'name'>({
    initial: { typed: '' },
    check: ({ typed }) => (typed === username ? {} : { typed: 'name' }),
    say: () => t('personal.deleteName'),
    save: () => remove('/api/user/self'),
    onSaved: () => {
      notifySuccess(t('personal.deleted'))
      setSessionUser(null)
      client.clear()
      void navigate({ to: '/login' })
    },
  })
  return (
    <FormDialog
      title={t('personal.deleteAccount')}
      form={form}
      isDanger
      submitLabel={t('personal.deleteSubmit')}
      onClose={onClose}
    >
      <Text>{t('personal.deleteConsequence', { amount: exact(props.quota) })}</Text>
      <TextField
        label={t('personal.deleteLabel', { name: username })}
        placeholder={username}
        {...form.text('typed')}
      />
    </FormDialog>
  )
}
