//! Outcomes of a motion, given as expressions.
//!
//! ```text
//! sum    = product { ('+' | '-') product }
//! product = power { ('*' | '/') power }
//! power  = ['-'] atom ['^' power]
//! atom   = NUMBER | '(' sum ')' | FUNCTION '(' sum { ',' sum } ')' | NAME ['.' COMPONENT]
//! ```
//!
//! A name without a component is that of an output, or `time`. Names that are more than letters, digits and `_` stand in double
//! quotes.

use dualbody::system::{State, TimeSteppingRigidBodySystem};
use dualbody::{Error, Scalar};
use std::fmt::Write;

/// What expressions may hold, for `--help`.
pub const SYNTAX: &str = "\
Expressions have + - * / ^, parentheses, numbers, `time`, the functions abs, sqrt, sin, cos, tan, atan2, exp, log, \
hypot, min, max, and, each at the end of the motion: an output by its name; `BODY.x`, `.y`, `.z` for its position, `.vx` … `.vz` \
and `.wx` … `.wz` for its velocity and angular velocity in the world; `JOINT.q`, `JOINT.v` for the coordinate of a joint and \
its rate. A name that is more than letters, digits and _ stands in double quotes: '\"robot/foot\".z'.";

/// Parentheses, signs and powers in each other.
const DEEPEST: usize = 100;

/// An expression.
#[derive(Debug, Clone, PartialEq)]
pub enum Expression {
    Number(f64),
    Time,
    Output(String),
    Position(String, usize),
    /// Of a body: angular velocity, then velocity.
    Velocity(String, usize),
    JointPosition(String),
    JointVelocity(String),
    Function(Function, Vec<Expression>),
}

/// What is applied to expressions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Function {
    Add,
    Subtract,
    Multiply,
    Divide,
    Power,
    Negative,
    Abs,
    Sqrt,
    Sin,
    Cos,
    Tan,
    Atan2,
    Exp,
    Log,
    Hypot,
    Min,
    Max,
}

/// Their names.
const FUNCTIONS: &str = "abs, sqrt, sin, cos, tan, atan2, exp, log, hypot, min, max";

impl Function {
    fn named(name: &str) -> Option<(Self, usize)> {
        Some(match name {
            "abs" => (Function::Abs, 1),
            "sqrt" => (Function::Sqrt, 1),
            "sin" => (Function::Sin, 1),
            "cos" => (Function::Cos, 1),
            "tan" => (Function::Tan, 1),
            "atan2" => (Function::Atan2, 2),
            "exp" => (Function::Exp, 1),
            "log" => (Function::Log, 1),
            "hypot" => (Function::Hypot, 2),
            "min" => (Function::Min, 2),
            "max" => (Function::Max, 2),
            _ => return None,
        })
    }

    fn apply<T: Scalar>(self, x: &[T]) -> T {
        let other = x.get(1).copied().unwrap_or_else(T::zero);
        let x = x[0];
        let re = x.re();
        match self {
            Function::Add => x + other,
            Function::Subtract => x - other,
            Function::Multiply => x * other,
            Function::Divide => x.div_lifted(other),
            Function::Power => x.pow_lifted(other),
            Function::Negative => -x,
            Function::Abs => x.abs_lifted(),
            Function::Sqrt => x.sqrt_lifted(),
            Function::Sin => x.lift([re.sin(), re.cos(), -re.sin(), -re.cos()]),
            Function::Cos => x.lift([re.cos(), -re.sin(), -re.cos(), re.sin()]),
            Function::Tan => {
                let (t, s) = (re.tan(), 1.0 + re.tan() * re.tan());
                x.lift([t, s, 2.0 * t * s, 2.0 * s * (s + 2.0 * t * t)])
            }
            Function::Atan2 => x.atan2_lifted(other),
            Function::Exp => x.lift([re.exp(); 4]),
            Function::Log => log(x),
            Function::Hypot => T::norm_lifted(&[x, other]),
            Function::Min => x.min_lifted(other),
            Function::Max => x.max_lifted(other),
        }
    }
}

fn log<T: Scalar>(x: T) -> T {
    let r = x.re().recip();
    x.lift([x.re().ln(), r, -r * r, 2.0 * r * r * r])
}

/// The end of a motion.
pub struct End<'e, T: Scalar> {
    /// The machine.
    pub system: &'e TimeSteppingRigidBodySystem<T>,
    /// The last state.
    pub state: &'e State<T>,
    /// The outputs of the last step.
    pub output: &'e [T],
}

impl Expression {
    /// Reads an expression.
    ///
    /// # Errors
    /// What is wrong, with a pointer to where.
    pub fn parse(text: &str) -> Result<Self, String> {
        let mut parser = Parser {
            text,
            at: 0,
            depth: 0,
        };
        let parsed = parser.sum().and_then(|expression| match parser.peek() {
            None => Ok(expression),
            Some(_) => Err("expected an operator or the end".to_owned()),
        });
        parsed.map_err(|problem| {
            let before = text[..parser.at].chars().count();
            let mut message = problem;
            let _ = write!(message, "\n  {text}\n  {}^", " ".repeat(before));
            message
        })
    }

    /// Its value at the end of a motion.
    pub fn evaluate<T: Scalar>(&self, end: &End<'_, T>) -> Result<T, Error> {
        let End {
            system,
            state,
            output,
        } = end;
        Ok(match self {
            Expression::Number(x) => T::from(*x),
            Expression::Time => state.time,
            Expression::Output(name) => output[system.output_index(name)?],
            Expression::Position(body, axis) => system.body_pose(state, body)?.translation[*axis],
            Expression::Velocity(body, k) => {
                let velocity = system.body_velocity(state, body)?;
                if *k < 3 {
                    velocity.angular[*k]
                } else {
                    velocity.linear[*k - 3]
                }
            }
            Expression::JointPosition(joint) => single(system.joint_position(state, joint)?)?,
            Expression::JointVelocity(joint) => single(system.joint_velocity(state, joint)?)?,
            Expression::Function(function, arguments) => {
                let values: Vec<T> = arguments
                    .iter()
                    .map(|a| a.evaluate(end))
                    .collect::<Result<_, _>>()?;
                function.apply(&values)
            }
        })
    }
}

fn single<T: Scalar>(coordinates: &[T]) -> Result<T, Error> {
    dualbody::InvalidInput::check_size("coordinates of the joint", coordinates.len(), 1)?;
    Ok(coordinates[0])
}

struct Parser<'t> {
    text: &'t str,
    at: usize,
    depth: usize,
}

type Parsed = Result<Expression, String>;

impl Parser<'_> {
    fn peek(&mut self) -> Option<char> {
        let rest = &self.text[self.at..];
        self.at += rest.len() - rest.trim_start().len();
        self.text[self.at..].chars().next()
    }

    fn take(&mut self, wanted: char) -> bool {
        let is_there = self.peek() == Some(wanted);
        if is_there {
            self.at += wanted.len_utf8();
        }
        is_there
    }

    fn expect(&mut self, wanted: char) -> Result<(), String> {
        match self.take(wanted) {
            true => Ok(()),
            false => Err(format!("expected {wanted:?}")),
        }
    }

    /// Reads what may hold itself.
    fn within(&mut self, read: impl FnOnce(&mut Self) -> Parsed) -> Parsed {
        self.depth += 1;
        if self.depth > DEEPEST {
            return Err("too deep".to_owned());
        }
        let read = read(self);
        self.depth -= 1;
        read
    }

    fn chain(&mut self, operators: [(char, Function); 2], next: fn(&mut Self) -> Parsed) -> Parsed {
        let mut left = next(self)?;
        let mut length = 0;
        while let Some((_, function)) = operators.into_iter().find(|(sign, _)| self.take(*sign)) {
            // What stands on the left is within: long chains are as deep as long.
            length += 1;
            if length > 10 * DEEPEST {
                return Err("too long".to_owned());
            }
            left = Expression::Function(function, vec![left, next(self)?]);
        }
        Ok(left)
    }

    fn sum(&mut self) -> Parsed {
        self.within(|parser| {
            parser.chain(
                [('+', Function::Add), ('-', Function::Subtract)],
                Self::product,
            )
        })
    }

    fn product(&mut self) -> Parsed {
        self.chain(
            [('*', Function::Multiply), ('/', Function::Divide)],
            Self::power,
        )
    }

    fn power(&mut self) -> Parsed {
        self.within(|parser| {
            if parser.take('-') {
                return Ok(Expression::Function(
                    Function::Negative,
                    vec![parser.power()?],
                ));
            }
            let base = parser.atom()?;
            match parser.take('^') {
                true => Ok(Expression::Function(
                    Function::Power,
                    vec![base, parser.power()?],
                )),
                false => Ok(base),
            }
        })
    }

    fn atom(&mut self) -> Parsed {
        match self.peek() {
            Some('(') => {
                self.take('(');
                let inner = self.sum()?;
                self.expect(')')?;
                Ok(inner)
            }
            Some(c) if c.is_ascii_digit() || c == '.' => self.number(),
            Some('"') => {
                self.take('"');
                let rest = &self.text[self.at..];
                let end = rest.find('"').ok_or("a quote that does not end")?;
                let name = rest[..end].to_owned();
                self.at += end + 1;
                self.named(name)
            }
            Some(c) if c.is_alphabetic() || c == '_' => {
                let name = self.word();
                match name.as_str() {
                    "time" => Ok(Expression::Time),
                    _ if self.take('(') => self.call(&name),
                    _ => self.named(name),
                }
            }
            _ => Err("expected a number, a name or '('".to_owned()),
        }
    }

    fn number(&mut self) -> Parsed {
        let rest = &self.text[self.at..];
        let mut end = 0;
        for (i, c) in rest.char_indices() {
            let after_exponent = rest[..i].ends_with(['e', 'E']);
            let belongs = c.is_ascii_digit()
                || matches!(c, '.' | 'e' | 'E')
                || (after_exponent && matches!(c, '+' | '-'));
            if !belongs {
                break;
            }
            end = i + 1;
        }
        match rest[..end].parse() {
            Ok(x) if f64::is_finite(x) => {
                self.at += end;
                Ok(Expression::Number(x))
            }
            _ => Err("not a number".to_owned()),
        }
    }

    fn word(&mut self) -> String {
        let rest = &self.text[self.at..];
        let end = rest
            .find(|c: char| !c.is_alphanumeric() && c != '_')
            .unwrap_or(rest.len());
        self.at += end;
        rest[..end].to_owned()
    }

    fn call(&mut self, name: &str) -> Parsed {
        let (function, count) = Function::named(name)
            .ok_or_else(|| format!("there is no function {name}, only {FUNCTIONS}"))?;
        let mut arguments = vec![self.sum()?];
        while arguments.len() < count && self.take(',') {
            arguments.push(self.sum()?);
        }
        match arguments.len() == count {
            true => self.expect(')')?,
            false => return Err(format!("{name} takes {count} arguments")),
        }
        Ok(Expression::Function(function, arguments))
    }

    fn named(&mut self, name: String) -> Parsed {
        // A component follows at once.
        if !self.text[self.at..].starts_with('.') {
            return Ok(Expression::Output(name));
        }
        self.at += 1;
        let start = self.at;
        let component = self.word();
        Ok(match component.as_str() {
            "x" => Expression::Position(name, 0),
            "y" => Expression::Position(name, 1),
            "z" => Expression::Position(name, 2),
            "wx" => Expression::Velocity(name, 0),
            "wy" => Expression::Velocity(name, 1),
            "wz" => Expression::Velocity(name, 2),
            "vx" => Expression::Velocity(name, 3),
            "vy" => Expression::Velocity(name, 4),
            "vz" => Expression::Velocity(name, 5),
            "q" => Expression::JointPosition(name),
            "v" => Expression::JointVelocity(name),
            _ => {
                self.at = start;
                return Err(
                    "expected x, y, z, vx, vy, vz, wx, wy, wz of a body, or q, v of a joint"
                        .to_owned(),
                );
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use dualbody::contact::ContactModel;
    use dualbody::num_dual::Dual64;
    use dualbody::tree::RigidBodyTreeBuilder;

    fn value(text: &str) -> f64 {
        let tree = RigidBodyTreeBuilder::new().finish().unwrap();
        let system = TimeSteppingRigidBodySystem::new(tree, ContactModel::none(), 1.0).unwrap();
        let mut state = system.initial_state();
        state.time = 3.0;
        let end = End {
            system: &system,
            state: &state,
            output: &[],
        };
        Expression::parse(text).unwrap().evaluate(&end).unwrap()
    }

    #[test]
    fn expressions_have_the_usual_precedence() {
        let cases = [
            ("1 + 2*3", 7.0),
            ("(1+2)*3", 9.0),
            ("8/4/2", 1.0),
            ("-2^2", -4.0),
            ("2^3^2", 512.0),
            ("2e-1 - .5", -0.3),
            ("hypot(3, time+1)", 5.0),
            ("max(abs(-2), sqrt(9)) + atan2(0, 1)", 3.0),
        ];
        for (text, expected) in cases {
            assert!((value(text) - expected).abs() < 1e-15, "{text}");
        }
    }

    #[test]
    fn functions_have_their_derivatives() {
        let names = ["sqrt", "sin", "cos", "tan", "exp", "log", "abs"];
        for (function, _) in names.into_iter().filter_map(Function::named) {
            let (x, h) = (0.7, 1e-6);
            let f = |x: f64| function.apply(&[x]);
            let slope = function.apply(&[Dual64::new(x, 1.0)]).eps;
            assert!(
                (slope - (f(x + h) - f(x - h)) / (2.0 * h)).abs() < 1e-8,
                "{function:?}"
            );
        }
        let (x, y) = (Dual64::new(0.7, 1.0), Dual64::new(1.3, 0.0));
        let power = |x, y| Function::Power.apply(&[x, y]);
        assert!((power(x, y).eps - 1.3 * 0.7f64.powf(0.3)).abs() < 1e-15);
        assert!((power(y, x).eps - 1.3f64.powf(0.7) * 1.3f64.ln()).abs() < 1e-15);
    }

    #[test]
    fn mistakes_are_pointed_at() {
        for wrong in [
            "", "1 +", "(1", "1)", "foo(1)", "hypot(1)", "a.k", "\"a", "1 2", "é + ", "1e999",
        ] {
            assert!(Expression::parse(wrong).is_err(), "{wrong}");
        }
        assert!(Expression::parse(&"(".repeat(100_000)).is_err());
        assert!(Expression::parse(&"-".repeat(100_000)).is_err());
        assert!(Expression::parse(&"1+".repeat(100_000)).is_err());
        assert!(
            Expression::parse("a.k")
                .unwrap_err()
                .ends_with("  a.k\n    ^")
        );
        assert_eq!(
            Expression::parse("\"a/b\".vx"),
            Ok(Expression::Velocity("a/b".into(), 3))
        );
    }
}
