/** The look of a table, said once for all of its cells: a component for each cell is too slow for hundreds of them. */
export const TABLE_CSS = {
  w: 'full',
  fontSize: '13px',
  tableLayout: 'fixed',
  borderCollapse: 'separate',
  borderSpacing: '0',
  '& th, & td': {
    px: '2',
    textAlign: 'start',
    overflow: 'hidden',
    textOverflow: 'ellipsis',
    whiteSpace: 'nowrap',
    bg: 'inherit',
  },
  '& th': {
    position: 'relative',
    h: '34px',
    borderBottomWidth: '1px',
    borderColor: 'border',
    fontWeight: '500',
    fontSize: 'xs',
    color: 'fg.muted',
    // A name and its unit in two lines, rather than cut off.
    whiteSpace: 'normal',
    lineHeight: '14px',
  },
  '& td': { py: '1', borderBottomWidth: '1px', borderColor: 'border.muted' },
  '& [data-align=end]': { textAlign: 'end', fontVariantNumeric: 'tabular-nums' },
  // Two lines are as high as a dense row has room for.
  '& [data-lines]': {
    display: '-webkit-box',
    WebkitBoxOrient: 'vertical',
    WebkitLineClamp: '2',
    overflow: 'hidden',
    overflowWrap: 'anywhere',
    fontSize: 'xs',
    lineHeight: '13.5px',
  },
  // Figures and times keep to one line by an attribute of their own.
  '& [data-lines], & [data-lines] *': { whiteSpace: 'normal !important' },
  '& [data-select]': { ps: '3', pe: '0', textOverflow: 'clip' },
  '& [data-select] input': { boxSize: '4', accentColor: 'teal.solid', verticalAlign: 'middle' },
  // In view at a side of its row, parted from what slides under it; the header lies above both.
  '& [data-pinned]': { position: 'sticky', zIndex: '1', textOverflow: 'clip' },
  '& [data-pinned=start]': {
    left: '0',
    borderInlineEndWidth: '1px',
    borderInlineEndColor: 'border.muted',
  },
  '& [data-pinned=end]': {
    right: '0',
    borderInlineStartWidth: '1px',
    borderInlineStartColor: 'border.muted',
  },
  '& thead': { position: 'sticky', top: '0', zIndex: '2' },
  '& thead tr': { bg: 'bg.panel' },
  // Each row is painted by itself: else the next row with the focus would have all of them painted again.
  '& tbody tr': {
    h: 'var(--row-height)',
    bg: 'bg.panel',
    outline: 'none',
    isolation: 'isolate',
  },
  '& tbody tr[data-openable]': { cursor: 'pointer' },
  '& tbody tr:hover': { bg: 'bg.subtle' },
  // The open row has a bar at its start beside its ground, which is that of a row under the pointer.
  '& tbody tr[aria-current=true]': {
    bg: 'bg.muted',
    '& td:first-of-type': { boxShadow: 'inset 3px 0 0 var(--tg-colors-teal-solid)' },
  },
  // A ring around the whole row, drawn by its cells: an outline of the row lies under sticky cells and the next row.
  '& tbody tr:focus-visible': {
    bg: 'bg.subtle',
    '--ring':
      'inset 0 2px 0 var(--tg-colors-teal-focus-ring), inset 0 -2px 0 var(--tg-colors-teal-focus-ring)',
    '& td': { boxShadow: 'var(--ring)' },
    '& td:first-of-type': {
      boxShadow: 'var(--ring), inset 2px 0 0 var(--tg-colors-teal-focus-ring)',
    },
    '& td:last-of-type': {
      boxShadow: 'var(--ring), inset -2px 0 0 var(--tg-colors-teal-focus-ring)',
    },
    '@media (forced-colors: active)': { outline: '2px solid', outlineOffset: '-2px' },
  },
  '& td :focus-visible': { outlineOffset: '-1px' },
} as const
