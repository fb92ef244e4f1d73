import { useMutation, useQueryClient } from '@tanstack/react-query'
import { post, put } from '../../core/api.ts'
import type { ListedUser } from '../../core/contract.ts'
import type { ListRows } from '../../parts/list/list-page.tsx'
import type { QuotaUnit } from '../../parts/quota-format.ts'
import { parseQuota } from '../../parts/quota-format.ts'
import type { ManageAction } from './user-actions.ts'
import type { UserForm } from './user-form.ts'

/** Adds a user; the display name is the user name unless there is one. */
export const addUser = (form: UserForm): Promise<unknown> =>
  post('/api/user/', {
    username: form.username.trim(),
    display_name: form.displayName,
    password: form.password,
  })

/** Changes a user; the balance only when it was typed anew, by the difference to what the form had loaded. */
export function saveUser(
  user: ListedUser,
  form: UserForm,
  opened: UserForm,
  { unit, quotaPerUnit }: { readonly unit: QuotaUnit; readonly quotaPerUnit: number },
): Promise<unknown> {
  const quota = form.quota === opened.quota ? null : parseQuota(form.quota, unit, quotaPerUnit)
  return put('/api/user/', {
    id: user.id,
    username: form.username.trim(),
    display_name: form.displayName,
    group: form.group,
    ...(form.password === '' ? {} : { password: form.password }),
    ...(quota === null ? {} : { quota, quota_before: user.quota, reason: form.reason.trim() }),
  })
}

/** Changes rights or status; the table shows at once the role and status that the server answers (seeds, section 4). */
export function useManageUser(onDone: () => void) {
  const client = useQueryClient()
  return useMutation({
    mutationFn: ({ id, action }: { id: number; action: ManageAction }) =>
      post('/api/user/manage', { id, action }),
    onSuccess: ({ role, status }, { id, action }) => {
      if (action !== 'delete')
        client.setQueriesData<ListRows<ListedUser>>({ queryKey: ['users'] }, (page) =>
          page && 'items' in page
            ? {
                ...page,
                items: page.items.map((user) =>
                  user.id === id ? { ...user, role, status } : user,
                ),
              }
            : page,
        )
      onDone()
    },
    onSettled: () => client.invalidateQueries({ queryKey: ['users'] }),
  })
}
