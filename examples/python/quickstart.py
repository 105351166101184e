import asyncio
import heeler

def nudge(ask: heeler.Ask) -> str:
    print("to the agent:", ask.text.splitlines()[0])  # hand it to your agent here
    return "told"

async def main() -> None:
    async with heeler.watch("nightly", task="Make the tests pass", inject=nudge) as run:
        for step in range(8):  # your agent's loop
            await run.tool_call("bash", {"command": "make test"})
            await run.tool_result("2 tests failed", ok=False)
            await asyncio.sleep(0.5)

asyncio.run(main())
