import { everyJournalKind } from '../journals.ts'
import { testBatchScripts } from './batch-script.ts'

/** A batch with one card in each of four slots. */
const plan = 'save rows=GAME-US:4 per=1'

testBatchScripts(
  `
  == a slot is open until a run inserts an order for it
  ${plan}; free → 1 2 3 4; free count=2 from=2 except=3 → 2 4; create slot=1; place b slot=2; free → 3 4
  left except=3,4 → true; left except=1,2,3,4 → false

  == an order can be taken over once its time is over, by one run
  ${plan}; place a slot=1; hold a → refused; sql UPDATE orders SET held_until = 1; free → 1 2 3 4
  hold a; hold a → refused; free → 2 3 4

  == an order that is held for longer than any run does is free: the clock was set back
  ${plan}; place a slot=1; sql UPDATE orders SET held_until = held_until + 7200000; free → 1 2 3 4; hold a

  == a run that ends releases its orders
  ${plan}; place a slot=1; place b slot=2; release b; free → 2 3 4

  == a confirmed order whose cards are wanted belongs to its run, until the caller asks for it
  ${plan}; place a slot=1; confirm a slot=1; end done
  free all → 2 3 4; free held → 2 3 4; free none → 1 2 3 4; sql UPDATE orders SET held_until = 1
  free all → 2 3 4; free held → 1 2 3 4; free none → 1 2 3 4; deliver 0
  free all → 2 3 4; free held → 2 3 4; free none → 2 3 4

  == those who buy are listed with their orders that are not finished
  ${plan}; buyers; place a slot=1; confirm a slot=1; end done at=5000; create slot=2
  buyers → running: buying 1, waiting 1, seen at 5000; sql UPDATE orders SET held_until = 1; deliver 0
  buyers → gone: buying 1, waiting 0, seen at 1000
  `,
  everyJournalKind,
)
