import { Button, Flex, Stack } from '@chakra-ui/react'
import { Link, useNavigate } from '@tanstack/react-router'
import { UserPlus } from 'lucide-react'
import { useCallback, useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { ListedUser } from '../../core/contract.ts'
import { useSessionUser } from '../../core/session.ts'
import { ConfirmDialog } from '../../parts/confirm-dialog.tsx'
import { ExportButton } from '../../parts/export-button.tsx'
import { ListPage } from '../../parts/list/list-page.tsx'
import { notifySuccess } from '../../parts/notify.tsx'
import { useLatest } from '../../parts/use-latest.ts'
import { UserFacts } from '../../parts/users/user-facts.tsx'
import { useUserColumns } from './columns.tsx'
import type { UserSearch } from './filters.ts'
import { USER_FILTERS } from './filters.ts'
import { useManageUser } from './mutations.ts'
import { listedUserQuery, usersAt, usersQuery } from './queries.ts'
import type { ManageAction, UserAction } from './user-actions.ts'
import { seesSessions, userActions } from './user-actions.ts'
import { UserActivity } from './user-activity.tsx'
import { AddUser, EditUser } from './user-drawer.tsx'

interface Asked {
  readonly action: ManageAction
  readonly user: ListedUser
}

/** Users: find them, add them, change them, their balance, their rights. */
export function Users(props: { search: UserSearch; onSearch: (search: UserSearch) => void }) {
  const { t } = useTranslation()
  const { search } = props
  const navigate = useNavigate()
  const viewerRole = useSessionUser()?.role ?? 0
  const [asked, setAsked] = useState<Asked | null>(null)
  const latestRef = useLatest(props)
  const manage = useManageUser(() => {
    setAsked(null)
    notifySuccess(t('users.done'))
  })
  const run = manage.mutate
  const act = useCallback(
    (action: UserAction, user: ListedUser) => {
      if (action === 'edit')
        latestRef.current.onSearch({ ...latestRef.current.search, edit: user.id })
      else if (action === 'log') void navigate({ to: '/log', search: { username: user.username } })
      else if (action === 'enable') run({ id: user.id, action })
      else setAsked({ action, user })
    },
    [navigate, run, latestRef],
  )
  const columns = useUserColumns(viewerRole, act)
  const closeForm = () => {
    const { add: _, edit: __, ...kept } = search
    props.onSearch(kept)
  }
  return (
    <ListPage
      name="users"
      title={t('place.users')}
      actions={<ExportButton name="users" list={() => usersAt(search)} />}
      create={
        <Button size="sm" onClick={() => props.onSearch({ ...search, add: true })}>
          <UserPlus size={15} aria-hidden />
          {t('users.add')}
        </Button>
      }
      filters={USER_FILTERS}
      search={search}
      onSearch={props.onSearch}
      columns={columns}
      columnsKey="users-table-columns"
      hiddenAtFirst={['inviter_id']}
      query={(pageSize) => usersQuery(search, pageSize)}
      rowId={(user) => String(user.id)}
      empty={{
        title: t('users.emptyTitle'),
        detail: t('users.emptyDetail'),
        noneFound: t('users.noneFound'),
      }}
      peek={{
        title: (user) => user.username,
        render: (user) => <UserPanel user={user} viewerRole={viewerRole} act={act} />,
        find: listedUserQuery,
      }}
    >
      {search.add ? (
        <AddUser onClose={closeForm} />
      ) : search.edit === undefined ? null : (
        <EditUser id={search.edit} onClose={closeForm} />
      )}
      {asked ? (
        <ConfirmDialog
          isOpen
          isDanger={asked.action !== 'promote'}
          title={t(`users.ask_${askedOf(asked)}`, { name: asked.user.username })}
          consequence={t(`users.consequence_${askedOf(asked)}`)}
          confirmLabel={t(`users.do_${asked.action}`)}
          isBusy={manage.isPending}
          onConfirm={() => manage.mutate({ id: asked.user.id, action: asked.action })}
          onClose={() => setAsked(null)}
        />
      ) : null}
    </ListPage>
  )
}

/** Enabling is done at once, all else is asked about first. */
const askedOf = ({ action }: Asked) => action as Exclude<ManageAction, 'enable'>

function UserPanel(props: {
  user: ListedUser
  viewerRole: number
  act: (action: UserAction, user: ListedUser) => void
}) {
  const { t } = useTranslation()
  const { user } = props
  return (
    <Stack gap="4">
      <UserFacts user={user} />
      <Flex gap="2" wrap="wrap">
        {userActions(user, props.viewerRole).map((action) =>
          action === 'log' ? (
            <Button key={action} asChild size="xs" variant="outline">
              <Link to="/log" search={{ username: user.username }}>
                {t('users.do_log')}
              </Link>
            </Button>
          ) : (
            <Button
              key={action}
              size="xs"
              variant="outline"
              {...(action === 'delete' ? { color: 'fg.error' } : {})}
              onClick={() => props.act(action, user)}
            >
              {t(`users.do_${action}`)}
            </Button>
          ),
        )}
      </Flex>
      {seesSessions(user, useSessionUser()) ? <UserActivity user={user} /> : null}
    </Stack>
  )
}
