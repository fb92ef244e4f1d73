import { Box } from '@chakra-ui/react'
import { useTranslation } from 'react-i18next'
import { put } from '../../core/api.ts'
import type { Self } from '../../core/contract.ts'
import { sessionUser, setSessionUser } from '../../core/session.ts'
import { selfQuery } from '../../core/status.ts'
import { BusyButton } from '../../parts/busy-button.tsx'
import { Card } from '../../parts/card.tsx'
import { SelectField } from '../../parts/choice-fields.tsx'
import { TextField } from '../../parts/fields.tsx'
import { FormView } from '../../parts/form/form-view.tsx'
import { useLeaveGuard } from '../../parts/form/leave-guard.tsx'
import { useForm } from '../../parts/form/use-form.ts'
import { notifySuccess } from '../../parts/notify.tsx'
import { useZoneChoice } from '../../parts/range/zone-choice.tsx'
import type { Profile as ProfileValues } from './profile-rules.ts'
import { NAME_LENGTH, profileProblems } from './profile-rules.ts'

/** User name and display name; and the zone of times, which this browser keeps. */
export function Profile({ self }: { self: Self }) {
  const { t } = useTranslation()
  const form = useForm<ProfileValues, 'required' | 'long'>({
    initial: { username: self.username, displayName: self.display_name },
    check: (values) => profileProblems(values, self),
    say: (problem, field) =>
      t(`personal.name_${problem}`, {
        max: field === 'username' ? NAME_LENGTH.username : NAME_LENGTH.displayName,
      }),
    refusals: {
      username_taken: 'username',
      username_is_email: 'username',
      username_hidden_characters: 'username',
      display_name_hidden_characters: 'displayName',
    },
    save: ({ username, displayName }) =>
      put('/api/user/self', { username: username.trim(), display_name: displayName.trim() }),
    refresh: [selfQuery.queryKey],
    onSaved: ({ username, displayName }) => {
      const user = sessionUser()
      if (user)
        setSessionUser({ ...user, username: username.trim(), display_name: displayName.trim() })
      notifySuccess(t('form.saved'))
    },
  })
  const guard = useLeaveGuard(form)
  return (
    <Card title={t('personal.profile')}>
      <FormView form={form}>
        <TextField
          label={t('personal.username')}
          help={t('personal.usernameHelp')}
          autoComplete="username"
          {...form.text('username')}
        />
        <TextField
          label={t('personal.displayName')}
          autoComplete="nickname"
          {...form.text('displayName')}
        />
        <Box>
          <BusyButton type="submit" size="sm" isLocked={!form.isDirty} isBusy={form.isBusy}>
            {t('action.save')}
          </BusyButton>
        </Box>
      </FormView>
      <Box mt="4" pt="4" borderTopWidth="1px" borderColor="border">
        <SelectField {...useZoneChoice()} help={t('personal.zoneHelp')} />
      </Box>
      {guard.dialog}
    </Card>
  )
}
