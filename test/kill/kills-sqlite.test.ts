/* Fifty kills on a file. More by hand: npm run test:kill -- --log sqlite --kills N --seed S */
import { it } from "vitest";
import { expectSound } from "./expect-sound.ts";

it("fifty kills on one file lose and double nothing", { timeout: 300_000 }, () => expectSound("sqlite", 50));
