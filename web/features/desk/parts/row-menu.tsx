import { Ellipsis } from 'lucide-react'
import { ask, type Question } from '#web/ui/confirm.tsx'
import { Menu, MenuItem } from '#web/ui/menu.tsx'

export type RowAction = {
  text: string
  do: () => unknown
  isDangerous?: boolean
  asks?: Omit<Question, 'destructive'>
  /** Why it can't be done to this row. */
  not?: string | false
}

/** Everything that can be done to one row, behind one button; what is destructive comes last. */
export function RowMenu({ of, actions }: { of: string; actions: (RowAction | false)[] }) {
  const present = actions.filter((action) => action !== false)
  if (present.length === 0) return null
  return (
    <Menu
      aria-label={`Actions for ${of}`}
      label={<Ellipsis className="size-4.5" />}
      className="ml-auto grid size-10 place-items-center rounded-md text-muted hover:bg-accent-soft hover:text-ink"
    >
      {present.map(({ text, do: act, asks, ...rest }) => (
        <MenuItem
          key={text}
          onClick={() => (asks ? ask({ ...asks, destructive: rest.isDangerous }, act) : void act())}
          {...rest}
        >
          {text}
        </MenuItem>
      ))}
    </Menu>
  )
}
