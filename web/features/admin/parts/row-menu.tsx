import { Ellipsis } from 'lucide-react'
import { Fragment, type ReactNode, useState } from 'react'
import { createPortal } from 'react-dom'
import type { Permission } from '#contract/permissions.ts'
import { useCan } from '#web/api/session.ts'
import { type Question, runIfConfirmed } from '#web/ui/confirm.tsx'
import { Menu, MenuItem } from '#web/ui/menu.tsx'

export type RowAction = {
  text: string
  needs?: Permission
  /** Without it, the entry opens its dialog. */
  run?: () => unknown
  renderDialog?: (close: () => void) => ReactNode
  isDangerous?: boolean
  hasDivider?: boolean
  question?: Omit<Question, 'destructive'>
  disabledBecause?: string | false
}

export function RowMenu({ label, actions }: { label: string; actions: (RowAction | false)[] }) {
  const [openAction, setOpenAction] = useState<RowAction | null>(null)
  const can = useCan()
  const visibleActions = actions.filter((action) => action !== false).filter(({ needs }) => !needs || can(needs))
  if (visibleActions.length === 0) return null

  function start(action: RowAction) {
    const { question, isDangerous } = action
    const run = action.run ?? (() => setOpenAction(action))
    if (question) runIfConfirmed({ ...question, destructive: isDangerous }, run)
    else void run()
  }

  return (
    <>
      <Menu
        aria-label={`Actions for ${label}`}
        label={<Ellipsis className="size-4.5" />}
        className="ml-auto grid size-10 place-items-center rounded-md text-muted hover:bg-accent-soft hover:text-ink"
      >
        {visibleActions.map((action, index) => (
          <Fragment key={action.text}>
            {action.hasDivider && index > 0 && <hr className="mx-2 my-1.5 border-line" />}
            <MenuItem
              isDangerous={action.isDangerous}
              disabledBecause={action.disabledBecause}
              onClick={() => start(action)}
            >
              {action.text}
            </MenuItem>
          </Fragment>
        ))}
      </Menu>
      {/* Rendered outside of the table, so that its styles do not apply to dialogs. */}
      {openAction &&
        createPortal(
          openAction.renderDialog?.(() => setOpenAction(null)),
          document.body,
        )}
    </>
  )
}
