import { describe } from "vitest";
import { testHalf } from "./seeds.ts";

describe("the simulation", () => testHalf(1));
