import { chakra, Flex, Text } from '@chakra-ui/react'
import { useQuery } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import type { ListedUser } from '../../core/contract.ts'
import { QUOTA_PRESETS } from '../../parts/amount.ts'
import { AmountField } from '../../parts/amount-field.tsx'
import { SelectField } from '../../parts/choice-fields.tsx'
import { TextField } from '../../parts/fields.tsx'
import { DrawerForm } from '../../parts/form/drawer-form.tsx'
import type { FormState } from '../../parts/form/use-form.ts'
import { useForm } from '../../parts/form/use-form.ts'
import { Money } from '../../parts/money.tsx'
import { notifySuccess } from '../../parts/notify.tsx'
import { parseQuota } from '../../parts/quota-format.ts'
import { useQuotaUnit } from '../../parts/quota.tsx'
import { SidePanel } from '../../parts/side-panel.tsx'
import { ErrorState } from '../../parts/states.tsx'
import { addUser, saveUser } from './mutations.ts'
import { editedUserQuery, groupsQuery } from './queries.ts'
import type { UserForm, UserProblem } from './user-form.ts'
import { formOf, NEW_USER, newUserProblems, USER_REFUSALS, userProblems } from './user-form.ts'

/** Adds a user. */
export function AddUser({ onClose }: { onClose: () => void }) {
  const { t } = useTranslation()
  const form = useForm<UserForm, UserProblem>({
    initial: NEW_USER,
    check: newUserProblems,
    say: (problem) => t(`users.problem_${problem}`),
    refusals: USER_REFUSALS,
    save: addUser,
    refresh: [['users']],
    onSaved: () => {
      notifySuccess(t('users.added'))
      onClose()
    },
  })
  return (
    <DrawerForm
      title={t('users.add')}
      form={form}
      submitLabel={t('users.addSubmit')}
      onClose={onClose}
    >
      <TextField label={t('user.username')} isRequired {...form.text('username')} />
      <TextField label={t('user.displayName')} {...form.text('displayName')} />
      <TextField
        label={t('users.password')}
        isRequired
        type="password"
        autoComplete="new-password"
        help={t('users.passwordHelp')}
        {...form.text('password')}
      />
    </DrawerForm>
  )
}

/** The form of the user that the address names, once they are there. */
export function EditUser({ id, onClose }: { id: number; onClose: () => void }) {
  const { t } = useTranslation()
  const { data: user, error, refetch } = useQuery(editedUserQuery(id))
  if (user) return <Edit key={user.id} user={user} onClose={onClose} />
  // Nothing until it is known: a panel that another takes the place of hands its focus back, which closes the other.
  if (!error) return null
  return (
    <SidePanel title={t('users.edit')} onClose={onClose}>
      <ErrorState error={error} onRetry={() => void refetch()} />
    </SidePanel>
  )
}

function Edit({ user, onClose }: { user: ListedUser; onClose: () => void }) {
  const { t } = useTranslation()
  const money = useQuotaUnit()
  const groups = useQuery(groupsQuery).data ?? []
  const opened = formOf(user, money.unit, money.quotaPerUnit)
  const form = useForm<UserForm, UserProblem>({
    initial: opened,
    check: (values) => userProblems(values, opened, money),
    say: (problem) => t(`users.problem_${problem}`),
    refusals: {
      ...USER_REFUSALS,
      user_quota_negative: 'quota',
      user_quota_too_large: 'quota',
    },
    save: (values) => saveUser(user, values, opened, money),
    refresh: [['users'], ['self']],
    onSaved: () => {
      notifySuccess(t('form.saved'))
      onClose()
    },
  })
  return (
    <DrawerForm
      title={t('users.editTitle', { name: user.username })}
      form={form}
      submitLabel={t('action.save')}
      onClose={onClose}
    >
      <TextField label={t('user.username')} isRequired {...form.text('username')} />
      <TextField label={t('user.displayName')} {...form.text('displayName')} />
      <TextField
        label={t('users.newPassword')}
        type="password"
        autoComplete="new-password"
        help={t('users.newPasswordHelp')}
        {...form.text('password')}
      />
      <SelectField
        label={t('user.group')}
        value={form.values.group}
        onChange={(group) => form.set({ group })}
        options={[...new Set([user.group, ...groups])].map((name) => ({
          value: name,
          label: name,
        }))}
      />
      <Balance user={user} form={form} opened={opened} />
    </DrawerForm>
  )
}

function Balance(props: { user: ListedUser; form: FormState<UserForm>; opened: UserForm }) {
  const { t } = useTranslation()
  const { user, form, opened } = props
  const { unit, quotaPerUnit } = useQuotaUnit()
  const isAdjusted = form.values.quota !== opened.quota
  const quota = parseQuota(form.values.quota, unit, quotaPerUnit)
  return (
    <>
      <AmountField
        label={t('user.balance')}
        help={t('users.balanceHelp')}
        presets={QUOTA_PRESETS}
        isAdding
        {...form.text('quota')}
      />
      {isAdjusted && quota !== null ? (
        <chakra.output display="block" bg="bg.subtle" borderRadius="l2" px="3" py="2">
          <Flex justify="space-between" gap="3">
            <Text color="fg.muted">{t('users.balanceBefore')}</Text>
            <Money value={user.quota} kind="balance" />
          </Flex>
          <Flex justify="space-between" gap="3">
            <Text color="fg.muted">{t('users.change')}</Text>
            <Money value={quota - user.quota} kind="change" />
          </Flex>
          <Flex justify="space-between" gap="3" fontWeight="600">
            <Text>{t('users.balanceAfter')}</Text>
            <Money value={quota} kind="balance" />
          </Flex>
        </chakra.output>
      ) : null}
      {isAdjusted ? (
        <TextField
          label={t('users.reason')}
          isRequired
          help={t('users.reasonHelp')}
          {...form.text('reason')}
        />
      ) : null}
    </>
  )
}
