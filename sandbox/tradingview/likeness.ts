/** The beginning of a name that exists, or one slip away from it: a missing, added, swapped or wrong letter. */
export function isLikeSomebody(name: string, people: string[]): boolean {
  const typed = name.toLowerCase()
  return people.some((each) => {
    const known = each.toLowerCase()
    if (known === typed) return false
    const isSlip = known.length > 5 && Math.abs(known.length - typed.length) <= 1 && isOneSlip(typed, known)
    return isSlip || known.startsWith(typed)
  })
}

function isOneSlip(a: string, b: string): boolean {
  let start = 0
  while (start < a.length && a[start] === b[start]) start++
  const [restA, restB] = [a.slice(start), b.slice(start)]
  return (
    restA.slice(1) === restB.slice(1) ||
    restA.slice(1) === restB ||
    restA === restB.slice(1) ||
    (restA[0] === restB[1] && restA[1] === restB[0] && restA.slice(2) === restB.slice(2))
  )
}
