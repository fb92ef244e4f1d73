import { Button, Flex, Text } from '@chakra-ui/react'
import { useQuery } from '@tanstack/react-query'
import { Plus } from 'lucide-react'
import { useCallback, useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { Token } from '../../core/contract.ts'
import { usePreference } from '../../core/preferences.ts'
import { ConfirmDialog } from '../../parts/confirm-dialog.tsx'
import { DataTable } from '../../parts/table/data-table.tsx'
import { Freshness } from '../../parts/freshness.tsx'
import { Page, Panel } from '../../parts/page.tsx'
import { Pager, pageSizeOf } from '../../parts/table/pager.tsx'
import { SearchBox } from '../../parts/search-box.tsx'
import { EmptyState } from '../../parts/states.tsx'
import type { TokenAction } from './columns.tsx'
import { useTokenColumns } from './columns.tsx'
import { ConnectPanel } from './connect-panel.tsx'
import type { TokenSearch } from './filters.ts'
import { useDeleteToken, useTokenStatus } from './mutations.ts'
import { tokensQuery } from './queries.ts'
import { TokenDrawer } from './token-drawer.tsx'

type Opened =
  | { readonly type: 'create' }
  | { readonly type: 'edit' | 'connect' | 'delete' | 'disable'; readonly token: Token }

/** The user's own tokens: make, find, limit, switch off, delete, and learn how to call with them. */
export function Tokens(props: { search: TokenSearch; onSearch: (search: TokenSearch) => void }) {
  const { t } = useTranslation()
  const { search, onSearch } = props
  const [storedSize, storeSize] = usePreference('page-size', '10')
  const pageSize = pageSizeOf(search.size ?? storedSize)
  const tokens = useQuery(tokensQuery(search, pageSize))
  const setStatus = useTokenStatus()
  const [opened, setOpened] = useState<Opened | null>(null)
  const enable = setStatus.mutate
  const act = useCallback(
    (action: TokenAction, token: Token) => {
      if (action !== 'toggle') setOpened({ type: action, token })
      else if (token.status === 1) setOpened({ type: 'disable', token })
      else enable({ id: token.id, status: 1 })
    },
    [enable],
  )
  const columns = useTokenColumns(act)
  const isSearch = Boolean(search.keyword ?? search.key)
  const create = (
    <Button size="sm" onClick={() => setOpened({ type: 'create' })}>
      <Plus size={15} aria-hidden />
      {t('tokens.create')}
    </Button>
  )
  return (
    <Page title={t('place.tokens')} actions={create}>
      <Text color="fg.muted" mb="3">
        {t('tokens.warning')}
      </Text>
      <Panel>
        <Flex
          gap="2"
          p="2.5"
          wrap="wrap"
          align="center"
          borderBottomWidth="1px"
          borderColor="border"
        >
          <SearchBox
            label={t('tokens.searchName')}
            value={search.keyword ?? ''}
            onSearch={(keyword) => onSearch({ ...search, keyword, p: 1 })}
          />
          <SearchBox
            label={t('tokens.searchKey')}
            value={search.key ?? ''}
            onSearch={(key) => onSearch({ ...search, key, p: 1 })}
          />
          <Flex flex="1" justify="flex-end">
            <Freshness
              readAt={tokens.dataUpdatedAt}
              isReading={tokens.isFetching}
              onRefresh={() => void tokens.refetch()}
            />
          </Flex>
        </Flex>
        <DataTable
          label={t('place.tokens')}
          columns={columns}
          rows={tokens.data}
          rowId={(token) => String(token.id)}
          error={tokens.error}
          onRetry={() => void tokens.refetch()}
          empty={
            isSearch ? (
              <EmptyState
                title={t('tokens.noneFound')}
                action={
                  <Button size="xs" variant="outline" onClick={() => onSearch({})}>
                    {t('action.reset')}
                  </Button>
                }
              />
            ) : (
              <EmptyState
                title={t('tokens.emptyTitle')}
                detail={t('tokens.emptyDetail')}
                action={create}
              />
            )
          }
        />
        {isSearch ? null : (
          <Pager
            page={search.p ?? 1}
            pageSize={pageSize}
            shown={tokens.data?.length ?? 0}
            onPage={(p) => onSearch({ ...search, p })}
            onPageSize={(size) => {
              storeSize(String(size))
              onSearch({ ...search, size, p: 1 })
            }}
          />
        )}
      </Panel>
      {opened ? <OpenedView opened={opened} onClose={() => setOpened(null)} /> : null}
    </Page>
  )
}

function OpenedView({ opened, onClose }: { opened: Opened; onClose: () => void }) {
  const { t } = useTranslation()
  const setStatus = useTokenStatus()
  const remove = useDeleteToken(onClose)
  if (opened.type === 'create') return <TokenDrawer token={null} onClose={onClose} />
  const { token } = opened
  if (opened.type === 'edit') return <TokenDrawer token={token} onClose={onClose} />
  if (opened.type === 'connect') return <ConnectPanel token={token} onClose={onClose} />
  if (opened.type === 'disable')
    return (
      <ConfirmDialog
        isOpen
        isDanger
        title={t('tokens.disableTitle', { name: token.name })}
        consequence={t('tokens.disableConsequence')}
        confirmLabel={t('action.disable')}
        isBusy={setStatus.isPending}
        onConfirm={() => setStatus.mutate({ id: token.id, status: 2 }, { onSuccess: onClose })}
        onClose={onClose}
      />
    )
  return (
    <ConfirmDialog
      isOpen
      isDanger
      title={t('tokens.deleteTitle', { name: token.name })}
      consequence={t('tokens.deleteConsequence')}
      confirmLabel={t('action.delete')}
      isBusy={remove.isPending}
      onConfirm={() => remove.mutate(token.id)}
      onClose={onClose}
    />
  )
}
