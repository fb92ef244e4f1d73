import { Button, Text } from '@chakra-ui/react'
import { Plus } from 'lucide-react'
import { lazy, Suspense, useCallback, useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { Token } from '../../core/contract.ts'
import { CopyTextButton } from '../../parts/copy.tsx'
import { ExportButton } from '../../parts/export-button.tsx'
import { filtered } from '../../parts/list/filters.ts'
import { ListPage } from '../../parts/list/list-page.tsx'
import { notifySuccess } from '../../parts/notify.tsx'
import { clientKey } from '../../parts/snippets.ts'
import { SkeletonRows } from '../../parts/states.tsx'
import { useLatest } from '../../parts/use-latest.ts'
import type { TokenAction } from './columns.tsx'
import { useTokenColumns } from './columns.tsx'
import type { TokenSearch } from './filters.ts'
import { TOKEN_FILTERS } from './filters.ts'
import { setStatuses, useTokensChange } from './mutations.ts'
import { isSearch, tokenQuery, tokensAt, tokensQuery } from './queries.ts'

const CodesDialog = lazy(async () => ({
  default: (await import('../../parts/list/codes-dialog.tsx')).CodesDialog,
}))
const OffDialog = lazy(async () => ({ default: (await import('./off-dialog.tsx')).OffDialog }))
const TokenDrawer = lazy(async () => ({
  default: (await import('./token-drawer.tsx')).TokenDrawer,
}))
const EditToken = lazy(async () => ({ default: (await import('./token-drawer.tsx')).EditToken }))
const TokenPanel = lazy(async () => ({ default: (await import('./token-panel.tsx')).TokenPanel }))

type Opened =
  | { readonly type: 'made'; readonly tokens: readonly Token[] }
  | {
      readonly type: 'disable' | 'delete'
      readonly tokens: readonly Token[]
      readonly clear: () => void
    }

const NOTHING = () => {}
const keysOf = (tokens: readonly Token[]): string[] => tokens.map(({ key }) => clientKey(key))

/** The user's own tokens: make, find, limit, switch off, delete, and learn how to call with them. */
export function Tokens(props: { search: TokenSearch; onSearch: (search: TokenSearch) => void }) {
  const { t } = useTranslation()
  const { search } = props
  const [opened, setOpened] = useState<Opened | null>(null)
  const [newest, setNewest] = useState<number>()
  const latestRef = useLatest(props)
  const enable = useTokensChange(setStatuses, () => notifySuccess(t('tokens.enabled')))
  const switchOn = enable.mutate
  const act = useCallback(
    (action: TokenAction, token: Token) => {
      const { search: kept, onSearch } = latestRef.current
      if (action === 'edit') onSearch({ ...kept, edit: token.id })
      else if (action === 'connect') onSearch({ ...kept, row: String(token.id) })
      else if (action === 'enable') switchOn({ ids: [token.id], status: 1 })
      else setOpened({ type: action, tokens: [token], clear: NOTHING })
    },
    [switchOn, latestRef],
  )
  const columns = useTokenColumns(act)
  const { add: _, edit: __, ...closed } = search
  const closeForm = () => props.onSearch(closed)
  const close = () => setOpened(null)
  /** One token opens with its key and how to call with it, a batch as keys to take away. */
  const onCreated = (tokens: readonly Token[]) => {
    const [only, ...others] = tokens
    setNewest(only?.id)
    props.onSearch(only && others.length === 0 ? { ...closed, row: String(only.id) } : closed)
    if (others.length === 0) notifySuccess(t('tokens.createdMessage'))
    else setOpened({ type: 'made', tokens })
  }
  return (
    <ListPage
      name="tokens"
      title={t('place.tokens')}
      note={
        <Text color="fg.muted" mb="3">
          {t('tokens.warning')}
        </Text>
      }
      actions={<ExportButton name="tokens" list={() => tokensAt(search)} />}
      create={
        <Button size="sm" onClick={() => props.onSearch({ ...search, add: true })}>
          <Plus size={15} aria-hidden />
          {t('tokens.create')}
        </Button>
      }
      filters={TOKEN_FILTERS}
      search={search}
      onSearch={props.onSearch}
      columns={columns}
      columnsKey="tokens-table-columns"
      hiddenAtFirst={['created_time']}
      query={(pageSize) => tokensQuery(search, pageSize)}
      isUnpaged={isSearch(search)}
      rowId={(token) => String(token.id)}
      empty={{
        title: t('tokens.emptyTitle'),
        detail: t('tokens.emptyDetail'),
        noneFound: t('tokens.noneFound'),
      }}
      renderBulk={(tokens, clear) => (
        <>
          <CopyTextButton text={keysOf(tokens).join('\n')}>{t('tokens.copyKeys')}</CopyTextButton>
          <Button
            size="2xs"
            variant="outline"
            disabled={!tokens.some(({ status }) => status === 1)}
            onClick={() => setOpened({ type: 'disable', tokens, clear })}
          >
            {t('action.disable')}
          </Button>
          <Button
            size="2xs"
            colorPalette="red"
            onClick={() => setOpened({ type: 'delete', tokens, clear })}
          >
            {t('action.delete')}
          </Button>
        </>
      )}
      peek={{
        title: (token) => token.name,
        render: (token) => (
          <Suspense fallback={<SkeletonRows rows={8} height="20px" />}>
            <TokenPanel token={token} isNew={token.id === newest} act={act} />
          </Suspense>
        ),
        find: tokenQuery,
      }}
    >
      <Suspense>
        {search.add ? (
          <TokenDrawer token={null} onCreated={onCreated} onClose={closeForm} />
        ) : search.edit === undefined ? null : (
          <EditToken id={search.edit} onClose={closeForm} />
        )}
        {/* Two dialogs at once hide each other from screen readers: the form goes first. */}
        {opened?.type === 'made' ? (
          search.add ? null : (
            <CodesDialog
              title={t('tokens.madeTitle', { count: opened.tokens.length })}
              note={t('tokens.madeNote')}
              codes={keysOf(opened.tokens)}
              fileName={opened.tokens[0]?.name ?? 'tokens'}
              onClose={close}
            />
          )
        ) : opened ? (
          <OffDialog
            kind={opened.type}
            tokens={
              opened.type === 'delete'
                ? opened.tokens
                : opened.tokens.filter(({ status }) => status === 1)
            }
            onDone={() => {
              opened.clear()
              close()
              if (opened.type === 'delete' && search.row !== undefined)
                props.onSearch(filtered(search, {}))
            }}
            onClose={close}
          />
        ) : null}
      </Suspense>
    </ListPage>
  )
}
